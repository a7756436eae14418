"""Devices are assigned to one of several hubs, at either of two control servers."""

from pathlib import Path
from typing import Any

import psycopg
import pytest

from quartet.sync.protocol import Peer
from tests.sync.agent import Agent, engine_id
from tests.sync.processes import Server
from tests.sync.two_servers import Pair, one_server, shown, two_servers

pytestmark = pytest.mark.anyio

BERLIN = engine_id()
ADDRESS = "berlin.example.org:22001"
LISTED = {
    "name": "berlin",
    "engineId": BERLIN,
    "address": ADDRESS,
    # No server runs this hub; its devices keep trying to reach it.
    "state": "stopped",
}


async def joined(server: Server) -> tuple[int, Agent]:
    code = server.post("/api/enrollments", {"name": "tower"})["code"]
    agent = Agent(server.url)
    return await agent.join(code), agent


def ran_once(database: str) -> None:
    with psycopg.connect(database, autocommit=True) as db:
        values = ("berlin", BERLIN, ADDRESS)
        db.execute("INSERT INTO sync.hubs (name, engine_id, address) VALUES (%s, %s, %s)", values)


def change(server: Server, device: int, **values: Any) -> Any:
    answer = server.api.patch(f"/api/devices/{device}", json=values)
    return answer.json() if answer.content else None


async def test_device_is_assigned_to_hub(postgres_url: str, tmp_path: Path) -> None:
    with two_servers(tmp_path, postgres_url, SYNC_HUB="false") as pair:
        first, second = pair
        device, agent = await joined(second)
        refused = change(first, device, hub="berlin")
        assert refused == {"code": "unknown_hub", "inputs": {"hub": "berlin"}}
        assert [each["name"] for each in first.get("/api/hubs")] == [""]
        ran_once(postgres_url)
        await assigned(pair, device, agent)
        exported = first.get("/api/config/export")
        assert [each["hub"] for each in exported["devices"]] == ["berlin"]
        exported["devices"][0]["hub"] = "lima"
        first.post("/api/config/import", exported)
        assert shown(second, device)["hub"] == ""
        change(first, device, hub="berlin")
        await agent.leave()
    # All servers restart, and the hub is not running.
    with one_server(tmp_path / "later", postgres_url, tmp_path / "hub", SYNC_HUB="false") as server:
        again = Agent(server.url)
        again.key, again.engine = agent.key, agent.engine
        await again.join()
        change(server, device, name="other", hub="berlin")
        revision = server.get("/api/overview")["revision"]
        assert (await again.state(revision)).peers == [Peer(BERLIN, [f"tcp://{ADDRESS}"])]
        assert server.get("/api/hubs")[1] == {**LISTED, "devices": 1}
        await again.leave()


async def assigned(pair: Pair, device: int, agent: Agent) -> None:
    first, second = pair
    before = first.get("/api/overview")["revision"]
    assert change(first, device, hub="berlin") is None
    state = await agent.state(before + 1)
    assert state.peers == [Peer(BERLIN, [f"tcp://{ADDRESS}"])]
    for server in pair:
        assert shown(server, device)["hub"] == "berlin"
        assert server.get("/api/hubs")[1] == {**LISTED, "devices": 1}
    assert second.get("/api/revisions")[0]["code"] == "device_changed"
