"""`quartet serve --demo`: four services filled with example data."""

import os
import re
import shutil
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from quartet.downloads.app import SERVICE
from quartet.downloads.demo.settings import ADDRESS
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.errors import AppError
from quartet.kernel.listener import free_port
from quartet.kernel.startup import open_kernel
from quartet.serve import with_free_port
from quartet.services import NAMES
from tests.process import quartet_serve, quartet_serve_uncached
from tests.waiting import pauses

SECONDS = 120
# One small model keeps the test fast and still gives every spot a forecast.
WEATHER = {"WIND_DEMO_SIZE": "tiny", "WIND_MODELS": "icon-d2"}


class Demo:
    """HTTP clients signed in to every service with the printed passwords."""

    def __init__(self, addresses: dict[str, str], table: str, clients: ExitStack) -> None:
        self.passwords = re.findall(r"password (\S+)", table)
        self._clients = {
            name: clients.enter_context(
                httpx.Client(base_url=address, headers={"Origin": address}, timeout=20)
            )
            for name, address in addresses.items()
        }
        downloads, sync, wind = self.passwords
        self._sign_in("downloads", "auth/login", user="demo", password=downloads)
        self._sign_in("sync", "login", password=sync)
        self._sign_in("wind", "auth/signin/password", email="demo@example.org", password=wind)

    def _sign_in(self, service: str, path: str, **body: str) -> None:
        answer = self._clients[service].post(f"/api/{path}", json=body)
        assert answer.is_success, answer.text

    def get(self, service: str, path: str) -> Any:
        answer = self._clients[service].get(f"/api/{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def downloads(self, view: str) -> list[dict[str, Any]]:
        packages = self.get("downloads", f"packages?view={view}")["packages"]
        return [each for package in packages for each in package["downloads"]]

    def states(self) -> list[str]:
        return sorted(each["status"] for each in self.downloads("queue"))

    def sizes(self) -> dict[str, int]:
        """Count the rows created at the first start."""
        overview = self.get("sync", "overview")
        return {
            "queue": len(self.downloads("queue")),
            "collector": len(self.downloads("collector")),
            "devices": len(overview["devices"]),
            "shared": len(overview["folders"]),
            "folders": len(self.get("media", "folders")),
            "jobs": len(self.get("media", "jobs")["jobs"]),
            "spots": len(self.get("wind", "favorites")["favorites"]),
            "gear": len(self.get("wind", "gear")["items"]),
            "alarms": len(self.get("wind", "alarms")["alarms"]),
        }


@contextmanager
def demo_in(folder: Path) -> Iterator[Demo]:
    for name in ("home", "tmp"):
        (folder / name).mkdir(exist_ok=True)
    places = {"HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp")}
    # `--demo` uses this folder by default.
    arguments = ("--demo", "--data", "data/demo")
    with (
        quartet_serve_uncached(folder, *arguments, services=NAMES, **WEATHER, **places) as running,
        ExitStack() as clients,
    ):
        yield Demo(running.addresses, running.table, clients)
    assert running.process.returncode == 0


def wait_until(check: Callable[[], object]) -> None:
    deadline, pause = time.monotonic() + SECONDS, pauses()
    while not check():
        assert time.monotonic() < deadline, "timed out"
        time.sleep(next(pause))


def remaining_processes(folder: Path) -> list[str]:
    """Return the command lines of processes that mention this folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if str(folder) in command and int(process.name) != os.getpid():
            found.append(command)
    return found


def assert_downloads(demo: Demo) -> None:
    wait_until(lambda: demo.states().count("finished") == 7)
    wait_until(lambda: demo.get("downloads", "stats")["speed"] > 0)
    # Downloads that wait for an answer leave their slots to the queued ones.
    assert {"downloading", "failed", "finished", "resolving"} <= set(demo.states())
    wait_until(lambda: len(demo.get("downloads", "captchas")) == 2)
    kinds = {each["kind"] for each in demo.get("downloads", "captchas")}
    assert kinds == {"image", "archivePassword"}
    packages = demo.get("downloads", "packages?view=queue")["packages"]
    extracts = {each["name"]: each["extract"] for each in packages}
    assert extracts["Logbook scans"] == "done"
    checked = [each["hashOk"] for each in packages[0]["downloads"]]
    assert checked.count(True) == 3
    wait_until(
        lambda: (
            sorted(each["online"] for each in demo.downloads("collector"))
            == ["offline", "online", "online", "online"]
        )
    )


def assert_sync(demo: Demo) -> None:
    if shutil.which("syncthing") is None:
        return

    def has_conflict() -> bool:
        overview = demo.get("sync", "overview")
        online = {each["name"]: each["online"] for each in overview["devices"]}
        conflicts = sum(each["conflicts"] for each in overview["folders"])
        return online == {"Laptop": True, "Desktop": True, "Phone": False} and conflicts > 0

    wait_until(has_conflict)
    assert [each["conflicts"] for each in demo.get("sync", "overview")["folders"]] == [1, 0]


def assert_media(demo: Demo) -> None:
    wait_until(lambda: demo.get("media", "dashboard")["inbox"] == 3)
    dashboard = demo.get("media", "dashboard")
    assert dashboard["movieLibrary"] and dashboard["seriesLibrary"]
    assert len(dashboard["titles"]) == 12 and "failed" not in dashboard["items"]
    weeks = demo.get("media", "statistics")["weeks"]
    assert sum(week["files"] > 0 for week in weeks) > 5


def assert_wind(demo: Demo) -> None:
    wait_until(lambda: len(demo.get("wind", "alarms")["alarms"]) == 3)
    # Alerts arrive in an inbox of the demo.
    assert demo.get("wind", "push")["email"]
    assert demo.get("wind", "gear")["items"]


def test_demo_runs_restarts_and_writes_only_to_its_folder(tmp_path: Path) -> None:
    with demo_in(tmp_path) as demo:
        assert_downloads(demo)
        assert_sync(demo)
        assert_media(demo)
        assert_wind(demo)
        passwords, sizes = demo.passwords, demo.sizes()
    assert remaining_processes(tmp_path) == []
    with demo_in(tmp_path) as demo:
        assert demo.passwords == passwords
        wait_until(lambda: "downloading" in demo.states())
        assert demo.sizes() == sizes
    assert remaining_processes(tmp_path) == []
    assert {path.name for path in tmp_path.iterdir()} == {"data", "home", "tmp"}
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["demo"]
    assert [*(tmp_path / "home").rglob("*"), *(tmp_path / "tmp").rglob("*")] == []


def test_serve_without_demo_starts_empty(tmp_path: Path) -> None:
    with quartet_serve(tmp_path, services=("downloads", "media")) as running:
        state = httpx.get(f"{running.addresses['downloads']}/api/auth/state").json()
        assert state["setupRequired"]
        assert httpx.get(f"{running.addresses['media']}/api/folders").json() == []
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["downloads", "media"]


@pytest.mark.anyio
async def test_demo_blocks_other_local_addresses(tmp_path: Path) -> None:
    kernel = open_kernel(SERVICE, SERVICE.settings(data=tmp_path), demo=True)
    try:
        with pytest.raises(AppError, match="address_forbidden"):
            await kernel.outbound.get(f"http://127.0.0.1:{free_port()}/")
        with pytest.raises(AppError, match="unreachable"):
            await kernel.outbound.get(f"http://{ADDRESS}:{free_port(ADDRESS)}/")
    finally:
        await kernel.close()


def test_demo_uses_next_port_if_default_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    # An address of this machine that nothing else uses.
    host = "127.0.0.77"
    given = DownloadsSettings(host=host)
    assert with_free_port("downloads", given) == given
    with socket.create_server((host, given.port)):
        assert with_free_port("downloads", given).port == given.port + 1
        assert f"port {given.port} is taken" in capsys.readouterr().err
        # A port that the user has chosen is kept, so that the demo fails with a message.
        with socket.create_server((host, 0)) as other:
            chosen = DownloadsSettings(host=host, port=other.getsockname()[1])
            assert with_free_port("downloads", chosen) == chosen
