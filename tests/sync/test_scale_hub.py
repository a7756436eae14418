"""One of two servers owns the hub; if it is killed, the other takes over."""

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.sync.engines import program_path
from tests.sync.processes import Server, agent, joined, text, until
from tests.sync.test_convergence_engines import folders_of
from tests.sync.two_servers import Pair, two_servers

# Engines that lost their connection several times wait before they dial again.
PATIENCE = 90.0
MARK = ".sync-conflict-20261115-004805-L4V4D74"


def children(server: Server) -> list[int]:
    process = server.process.pid
    return [
        int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()
    ]


def owner_first(pair: Pair) -> Pair:
    until(lambda: any(children(each) for each in pair))
    return pair if children(pair[0]) else (pair[1], pair[0])


def hub(server: Server) -> dict[str, Any]:
    found: dict[str, Any] = server.get("/api/overview")["hub"]
    return found


@pytest.mark.nightly
@pytest.mark.timeout(300)
def test_hub_is_taken_over(postgres_url: str, tmp_path: Path) -> None:
    program_path()
    with two_servers(tmp_path, postgres_url, SYNC_LAN_PAIRING="false") as pair:
        pair[0].post("/api/folders", {"label": "Notes"})
        owner, other = owner_first(pair)
        home = joined(other, tmp_path, "laptop")
        with agent(home):
            until(lambda: other.device("laptop").get("online"))
            folder = other.get("/api/overview")["folders"][0]
            other.share(folder["id"], ("laptop", home / "notes"))
            other.wait_until_idle(folder["id"], "laptop")
            place = tmp_path / "hub" / "folders" / folder["engineFolderId"]
            (home / "notes" / "a.txt").write_text("before")
            until(lambda: text(place / "a.txt") == "before")
            both_show_the_same(owner, other, folder["id"], place)
            ids = kill_while_shares_change(owner, other, home)
            (home / "notes" / "b.txt").write_text("after")
            until(lambda: text(place / "b.txt") == "after", PATIENCE)
            converged(other, tmp_path, ids)


def both_show_the_same(owner: Server, other: Server, folder: int, place: Path) -> None:
    """Including data that only the owner's disk and engine have."""
    (place / f"a{MARK}.txt").write_text("copy")
    api = f"/api/folders/{folder}"
    for server in (other, owner):
        until(lambda server=server: server.get("/api/overview")["folders"][0]["conflicts"] == 1)
        assert [each["path"] for each in server.get(f"{api}/conflicts")] == ["a.txt"]
        until(lambda server=server: server.get("/api/status")["hub"]["folders"])
    body = {"copy": f"a{MARK}.txt", "keep": "current"}
    assert other.post(f"{api}/conflicts/resolve", body) == {"path": "a.txt"}
    until(lambda: other.get("/api/overview")["folders"][0]["conflicts"] == 0)
    assert [each["path"] for each in other.get(f"{api}/versions")["versions"]] == ["a.txt"]
    assert other.api.get("/api/folders/99/versions").json()["code"] == "folder_not_found"
    assert hub(owner) == hub(other)
    # The feed is written once per second.
    until(lambda: reported_conflicts(other) == 1)


def reported_conflicts(server: Server) -> int:
    return [each["kind"] for each in server.get("/api/events")].count("conflict")


def kill_while_shares_change(owner: Server, other: Server, home: Path) -> list[int]:
    device, before = other.device("laptop")["id"], hub(other)
    ids = []
    for number in range(4):
        if number == 2:
            os.kill(owner.process.pid, signal.SIGKILL)
        made = other.post("/api/folders", {"label": f"n{number}"})
        path = str(home / f"n{number}")
        row = {"folderId": made["id"], "deviceId": device, "mode": "both", "path": path}
        other.post("/api/shares", {"changes": [row]})
        ids.append(made["id"])
    until(lambda: runs_at(other, before), PATIENCE)
    assert hub(other)["engineId"] == before["engineId"]
    return ids


def runs_at(server: Server, before: dict[str, Any]) -> bool:
    """Return True if the server runs the hub itself, not just shows the last shared state."""
    now = hub(server)
    return bool(now["state"] == "running" and now["address"] != before["address"])


def converged(server: Server, folder: Path, ids: list[int]) -> None:
    revision = server.get("/api/overview")["revision"]
    until(lambda: server.device("laptop")["appliedRev"] >= revision)
    until(lambda: hub(server)["appliedRevision"] >= revision)
    overview = server.get("/api/overview")
    wanted = {each["engineFolderId"] for each in overview["folders"]}
    assert len(wanted) == len(ids) + 1
    for home in (folder / "hub" / "hub", folder / "laptop" / ".agent" / "engine"):
        found = asyncio.run(folders_of(home))
        assert found.keys() == wanted
        assert all(len(each["devices"]) == 2 for each in found.values())
    codes = [each["code"] for each in server.get("/api/events")]
    assert codes.count("shares_changed") == codes.count("folder_added") == len(ids) + 1
    assert reported_conflicts(server) == 1
