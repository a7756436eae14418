"""An additional hub that was shut down is removed, at any server."""

from pathlib import Path
from typing import Any

import pytest

from quartet.kernel.startup import open_kernel
from quartet.sync.app import SERVICE
from quartet.sync.hub import store
from tests.sync.processes import Server, until
from tests.sync.running_app import RunningApp
from tests.sync.test_scale_assignment import change, joined, ran_once
from tests.sync.two_servers import one_server, two_servers

pytestmark = pytest.mark.anyio


def removed(server: Server, name: str = "berlin") -> tuple[int, Any]:
    answer = server.api.delete(f"/api/hubs/{name}")
    return answer.status_code, answer.json() if answer.content else None


def names(server: Server) -> list[str]:
    return [each["name"] for each in server.get("/api/hubs")]


def rejection(code: str, **inputs: object) -> dict[str, object]:
    return {"code": code, "inputs": inputs}


@pytest.mark.nightly
async def test_stopped_hub_can_be_removed(postgres_url: str, tmp_path: Path) -> None:
    with two_servers(tmp_path, postgres_url, SYNC_HUB="false") as pair:
        ran_once(postgres_url)
        stays_while_a_server_has_it(pair[0], postgres_url, tmp_path)
        device, agent = await joined(pair[0])
        change(pair[0], device, hub="berlin")
        goes_with_its_last_device(*pair, device)
        await agent.leave()


def stays_while_a_server_has_it(first: Server, database: str, folder: Path) -> None:
    """Without devices and folders, Syncthing is not running, but may start at any time."""
    there = one_server(folder / "berlin", database, folder / "there", SYNC_HUB_NAME="berlin")
    with there as berlin:
        for server in (first, berlin):
            assert removed(server) == (409, rejection("hub_running", hub="berlin"))
        # Even for a server that has not heard of the hub.
        settings = SERVICE.settings(data=folder / "look", database_url=database)
        kernel = open_kernel(SERVICE, settings)
        assert not kernel.db.write_sync(lambda tx: store.is_free(tx.conn, "berlin"))
        kernel.db.close()


def goes_with_its_last_device(first: Server, second: Server, device: int) -> None:
    held = rejection("hub_has_devices", hub="berlin", count=1)
    # The hub may count as running for a moment longer.
    until(lambda: removed(second) == (409, held))
    change(first, device, hub="")
    assert removed(second) == (204, None)
    # Also at a server that may not know of the removal yet.
    unknown = rejection("unknown_hub", hub="berlin")
    assert change(first, device, hub="berlin") == unknown
    assert removed(first) == (404, unknown)
    assert names(second) == [""]
    until(lambda: names(first) == [""])
    told = second.get("/api/revisions")[0]
    assert (told["code"], told["inputs"]) == ("hub_removed", {"hub": "berlin"})


async def test_main_hub_cannot_be_removed(app: RunningApp) -> None:
    # Paths have one spelling; this is not another one of /api/hubs.
    assert await app.refused("DELETE", "/api/hubs/") == (404, "not_found")
    assert await app.refused("DELETE", "/api/hubs") == (409, "main_hub_stays")
    assert await app.refused("DELETE", "/api/hubs/lima") == (404, "unknown_hub")
