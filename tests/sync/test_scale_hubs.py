"""A main hub and an additional hub, each at its own control server, on one PostgreSQL."""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.sync.engines import program_path
from tests.sync.processes import Server, agent, joined, text, until
from tests.sync.test_convergence_engines import folders_of
from tests.sync.test_scale_hub import PATIENCE
from tests.sync.two_servers import one_server, set_password


@contextmanager
def two_hubs(folder: Path, database: str) -> Iterator[tuple[Server, Server, Server]]:
    """Start the main hub, an additional hub, and a standby server for the latter."""
    set_password(folder, database)
    main = {"SYNC_LAN_PAIRING": "false"}
    additional = {"SYNC_HUB_NAME": "berlin", **main}
    with (
        one_server(folder / "one", database, folder / "main", **main) as first,
        one_server(folder / "two", database, folder / "berlin", **additional) as second,
        one_server(folder / "three", database, folder / "berlin", **additional) as third,
    ):
        yield first, second, third


def hubs(server: Server) -> dict[str, Any]:
    return {each["name"]: each for each in server.get("/api/hubs")}


def assign(server: Server, name: str, hub: str) -> int:
    device = f"/api/devices/{server.device(name)['id']}"
    answer = server.api.patch(device, json={"hub": hub})
    assert answer.status_code in (204, 400), answer.text
    return answer.status_code


@pytest.mark.nightly
@pytest.mark.timeout(200)
def test_files_sync_between_devices_of_two_hubs(postgres_url: str, tmp_path: Path) -> None:
    program_path()
    with two_hubs(tmp_path, postgres_url) as (main, berlin, other):
        folder = main.post("/api/folders", {"label": "Notes"})
        laptop, tower = joined(main, tmp_path, "laptop"), joined(berlin, tmp_path, "tower")
        with agent(laptop), agent(tower):
            until(lambda: all(main.device(name).get("online") for name in ("laptop", "tower")))
            until(lambda: hubs(main).get("berlin", {}).get("state") == "running")
            until(lambda: hubs(berlin)[""]["state"] == "running")
            assert assign(main, "tower", "nowhere") == 400
            assert assign(main, "tower", "berlin") == 204
            main.share(folder["id"], ("laptop", laptop / "notes"), ("tower", tower / "notes"))
            main.wait_until_idle(folder["id"], "laptop", "tower")
            (laptop / "notes" / "a.txt").write_text("from the laptop")
            until(lambda: text(tower / "notes" / "a.txt") == "from the laptop")
            (tower / "notes" / "b.txt").write_text("from the tower")
            until(lambda: text(laptop / "notes" / "b.txt") == "from the tower")
            each_hub_has_its_device(main, tmp_path, folder["engineFolderId"])
            for server in (main, berlin, other):
                until(lambda server=server: complete(server, folder["id"]))
            handed_over(main, berlin, other)
            removed(main, other, tmp_path / "main/hub", folder["engineFolderId"])


def each_hub_has_its_device(server: Server, folder: Path, ident: str) -> None:
    known = hubs(server)
    assert [each["devices"] for each in known.values()] == [1, 1]
    for name, device, other in (("main", "laptop", "berlin"), ("berlin", "tower", "")):
        home = folder / name / "hub"
        members = {each["deviceID"] for each in asyncio.run(folders_of(home))[ident]["devices"]}
        own = known["" if name == "main" else name]["engineId"]
        assert members == {own, known[other]["engineId"], server.device(device)["engineId"]}
        assert sorted(each.name for each in (folder / name / "folders" / ident).glob("*.txt")) == [
            "a.txt",
            "b.txt",
        ]


def complete(server: Server, folder: int) -> bool:
    """Return True if both devices are complete, although each hub knows only its own."""
    found = server.get("/api/status")["hub"]["folders"].get(str(folder), {}).get("completion", {})
    return len(found) == 2 and all(each["percent"] == 100 for each in found.values())


def handed_over(main: Server, berlin: Server, other: Server) -> None:
    before = hubs(main)["berlin"]
    os.kill(berlin.process.pid, signal.SIGKILL)

    def elsewhere(server: Server) -> bool:
        now = hubs(server)["berlin"]
        return bool(now["state"] == "running" and now["address"] != before["address"])

    for server in (main, other):
        until(lambda server=server: elsewhere(server), PATIENCE)
        assert hubs(server)["berlin"]["engineId"] == before["engineId"]


def removed(main: Server, last: Server, home: Path, ident: str) -> None:
    """Remove the hub after its last server is stopped and its device has moved."""
    gone = hubs(main)["berlin"]["engineId"]
    assert main.api.delete("/api/hubs/berlin").json()["code"] == "hub_running"
    assign(main, "tower", "")
    # Not killed, because nothing would stop its Syncthing afterwards.
    last.process.terminate()
    until(lambda: main.api.delete("/api/hubs/berlin").status_code == 204)
    assert list(hubs(main)) == [""]

    def peers() -> set[str]:
        return {each["deviceID"] for each in asyncio.run(folders_of(home))[ident]["devices"]}

    until(lambda: gone not in peers() and main.device("tower")["engineId"] in peers())
