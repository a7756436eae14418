"""A real server and real agents, each in its own process, with real engines."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.client import NO_AUTHORITIES
from tests.fork_client import ForkedProcess, fork_server, run_forked
from tests.process import Process, environment, quartet_serve
from tests.real_servers import free_port
from tests.waiting import pauses

PASSWORD = "a long enough password"


@dataclass(frozen=True)
class Server:
    url: str
    api: httpx.Client
    data: Path
    process: Process

    def get(self, path: str) -> Any:
        answer = self.api.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: object) -> Any:
        answer = self.api.post(path, json=body)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def share(self, folder: int, *places: tuple[str, Path]) -> None:
        """Share the folder with these devices and wait until all have applied it."""
        rows = [
            {
                "folderId": folder,
                "deviceId": self.device(name)["id"],
                "mode": "both",
                "path": str(path),
            }
            for name, path in places
        ]
        revision = self.post("/api/shares", {"changes": rows})["revision"]
        for name, _ in places:
            until(lambda name=name: self.device(name)["appliedRev"] >= revision)

    def wait_until_idle(self, folder: int, *names: str) -> None:
        """Wait for the first scan and until the engines watch the folder, shortly after it.

        They would notice a change between the two only with the next scan, an hour later.
        """
        for name in names:
            ident = self.device(name)["id"]
            until(lambda ident=ident: self._state(str(ident), str(folder)) == "idle")
            path = self._path(ident, folder)
            # Only the device knows where its home is.
            if path.is_absolute():
                until(lambda path=path: is_watched(path))

    def _path(self, device: int, folder: int) -> Path:
        shares = self.get("/api/overview")["shares"]
        wanted = (device, folder)
        return next(
            Path(each["path"]) for each in shares if (each["deviceId"], each["folderId"]) == wanted
        )

    def _state(self, device: str, folder: str) -> str | None:
        found = self.get("/api/status")["devices"].get(device, {})
        state: str | None = found.get("folders", {}).get(folder, {}).get("state")
        return state

    def device(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = next(
            (each for each in self.get("/api/overview")["devices"] if each["name"] == name), {}
        )
        return found


def is_watched(folder: Path) -> bool:
    """Return whether a program on this machine watches a folder with inotify."""
    watch = f" ino:{folder.stat().st_ino:x} sdev:"
    for descriptors in Path("/proc").glob("[0-9]*/fdinfo"):
        # A program or descriptor may end during the search, and those of others are not shown.
        with suppress(OSError):
            for each in descriptors.iterdir():
                with suppress(OSError):
                    if watch in each.read_text():
                        return True
    return False


@contextmanager
def server(folder: Path, *arguments: str, **variables: str) -> Iterator[Server]:
    data = folder / "data"
    if not data.exists():
        quartet("sync", "set-password", "--data", str(data), cwd=folder, stdin=PASSWORD + "\n")
    variables = {"SYNC_LAN_PAIRING": "false", **variables}
    if "SYNC_HUB_LISTEN" not in variables:
        variables["SYNC_HUB_LISTEN"] = f"127.0.0.1:{free_port()}"
    with quartet_serve(folder, *arguments, services=("sync",), **variables) as running:
        url = running.addresses["sync"]
        with httpx.Client(base_url=url, timeout=60, verify=NO_AUTHORITIES) as api:
            token = api.post("/api/login", json={"password": PASSWORD}).json()["csrfToken"]
            api.headers["X-CSRF-Token"] = token
            yield Server(url, api, data / "sync", running.process)


def quartet(*arguments: str, cwd: Path, stdin: str = "", **variables: str) -> str:
    done = run_forked(
        *arguments,
        folder=cwd,
        environment=environment(HOME=str(cwd), **variables),
        stdin_text=stdin,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@contextmanager
def agent(home: Path) -> Iterator[ForkedProcess]:
    """Run `quartet agent run` with this home during the test."""
    command = ("agent", "run", "--dir", str(home / ".agent"))
    with (home / "log").open("a") as log, Path(os.devnull).open() as devnull:
        process = fork_server.fork(
            *command,
            folder=home,
            environment=environment(HOME=str(home)),
            stdin=devnull,
            stdout=log,
            stderr=log,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.kill(process.pid, signal.SIGTERM)
        try:
            process.wait(timeout=60)
        finally:
            # An agent that does not end would keep the ports and files of later tests.
            process.kill()
            process.wait(timeout=60)
        # Shown if the test fails.
        sys.stderr.write((home / "log").read_text()[-3000:])


def joined(server: Server, folder: Path, name: str) -> Path:
    """Return the home of a new device that joined with a pairing code."""
    home = folder / name
    home.mkdir()
    code = server.post("/api/enrollments", {"name": name})["code"]
    quartet("agent", "join", "--server", server.url, "--dir", str(home / ".agent"), code, cwd=home)
    return home


def joined_without_code(server: Server, folder: Path, name: str) -> Path:
    """Return the home of a new device that joined without a code; the output is in the file
    `joined`.
    """
    home = folder / name
    home.mkdir()
    where = ("--server", server.url, "--dir", str(home / ".agent"))
    (home / "joined").write_text(quartet("agent", "join", *where, cwd=home))
    return home


def engine_of(process: int) -> int:
    """Return the id of the only child process."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    assert len(children) == 1
    return int(children[0])


def text(path: Path) -> str:
    return path.read_text() if path.is_file() else ""


def until(check: Any, seconds: float = 90) -> Any:
    deadline, pause = time.monotonic() + seconds, pauses()
    while not (found := check()):
        assert time.monotonic() < deadline, "timed out"
        time.sleep(next(pause))
    return found
