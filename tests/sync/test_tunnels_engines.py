"""Devices that cannot reach the port of the hub, with real engines."""

import asyncio
from pathlib import Path

import pytest

from quartet.sync.agent.hub_route import answers_directly
from quartet.sync.engine import EnginePeer
from tests.real_servers import free_port
from tests.sync.agent import engine_id
from tests.sync.engines import engine, program_path
from tests.sync.processes import Server, agent, joined, server, text, until

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(autouse=True)
def syncthing() -> None:
    program_path()


@pytest.mark.nightly
def test_device_behind_a_closed_port_syncs_through_the_server(tmp_path: Path) -> None:
    port, listen = str(free_port()), f"127.0.0.1:{free_port()}"
    closed = f"127.0.0.1:{free_port()}"
    with server(tmp_path, "--port", port, SYNC_HUB_LISTEN=listen, SYNC_HUB_ADDRESS=closed) as app:
        home = joined(app, tmp_path, "laptop")
        folder = app.post("/api/folders", {"label": "Notes"})
        hub = app.data / "folders" / folder["engineFolderId"]
        with agent(home):
            until(lambda: app.device("laptop").get("online"))
            app.share(folder["id"], ("laptop", home / "notes"))
            (home / "notes/plan.txt").write_text("from the laptop")
            until(lambda: text(hub / "plan.txt") == "from the laptop")
            until(lambda: (_tunnel(app) or {}).get("sent", 0) > 0)
            app.process.terminate()
            app.process.wait(60)
            _syncs_after_restart(tmp_path, port, listen, closed, home, hub)


def _syncs_after_restart(
    tmp_path: Path, port: str, listen: str, closed: str, home: Path, hub: Path
) -> None:
    with server(tmp_path, "--port", port, SYNC_HUB_LISTEN=listen, SYNC_HUB_ADDRESS=closed) as again:
        (home / "notes/later.txt").write_text("after the restart")
        until(lambda: text(hub / "later.txt") == "after the restart")
        until(lambda: _tunnel(again))
        again.process.terminate()
        again.process.wait(60)
    # The agent returns to the direct connection when the hub is reachable.
    with server(tmp_path, "--port", port, SYNC_HUB_LISTEN=listen) as direct:
        (home / "notes/direct.txt").write_text("without a tunnel")
        until(lambda: text(hub / "direct.txt") == "without a tunnel")
        until(lambda: direct.device("laptop").get("online") and _tunnel(direct) is None)


def _tunnel(app: Server) -> dict[str, int] | None:
    ident = str(app.device("laptop")["id"])
    found: dict[str, int] | None = app.get("/api/status")["devices"][ident].get("tunnel")
    return found


def test_only_the_hub_itself_counts_as_reachable(tmp_path: Path) -> None:
    async def check() -> tuple[bool, bool, bool]:
        async with engine(tmp_path / "hub", port=free_port()) as hub:
            nowhere = EnginePeer(hub.id, addresses=(f"tcp://127.0.0.1:{free_port()}",))
            return (
                await answers_directly(EnginePeer(hub.id, addresses=(hub.address,))),
                await answers_directly(EnginePeer(engine_id(), addresses=(hub.address,))),
                await answers_directly(nowhere),
            )

    assert asyncio.run(check()) == (True, False, False)
