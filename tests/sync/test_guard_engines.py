"""A real device deletes almost all files; the hub holds it until it is released."""

from pathlib import Path

import pytest

from quartet.sync.config.types.desired import HubPeer, HubState
from tests.real_servers import free_port
from tests.sync.agent import engine_id
from tests.sync.engines import eventually, program_path
from tests.sync.processes import agent, joined, server, text, until
from tests.sync.test_hub import running

pytestmark = pytest.mark.timeout(300)

FILES = 80
PEER = engine_id()


def test_real_device_is_held_and_released(tmp_path: Path) -> None:
    program_path()
    with server(tmp_path) as app:
        home = joined(app, tmp_path, "laptop")
        place = home / "photos"
        with agent(home):
            until(lambda: app.device("laptop").get("online"))
            folder = app.post("/api/folders", {"label": "Photos"})
            hub = app.data / "folders" / folder["engineFolderId"]
            app.share(folder["id"], ("laptop", place))
            app.wait_until_idle(folder["id"], "laptop")
            until((hub / ".stfolder").exists)
            for number in range(FILES):
                (hub / f"{number}.jpg").write_text(f"picture {number}")
            until(lambda: len(list(place.glob("*.jpg"))) == FILES)
            for path in place.glob("*.jpg"):
                path.unlink(missing_ok=True)
            [share] = until(lambda: _held(app.get("/api/overview")["shares"]))
            assert "deletions_held" in [each["code"] for each in app.get("/api/events")]
            (place / "new.txt").write_text("while it is held")
            ident = share["deviceId"]
            app.post(f"/api/folders/{folder['id']}/devices/{ident}/release", None)
            until(lambda: text(hub / "new.txt") == "while it is held")
            assert not _held(app.get("/api/overview")["shares"])
            # The deleted files are among the versions.
            url = f"/api/folders/{folder['id']}/versions"
            until(lambda: len(app.get(url)["versions"]) == FILES)


def _held(shares: list[dict[str, object]]) -> list[dict[str, object]]:
    return [share for share in shares if share.get("held")]


@pytest.mark.anyio
async def test_real_hub_pauses_and_limits_device(tmp_path: Path) -> None:
    async with running(tmp_path, listen=f"127.0.0.1:{free_port()}") as hub:
        for revision, peer in enumerate(
            (HubPeer(PEER, "laptop", True, 100, 200), HubPeer(PEER, "laptop")), 1
        ):
            await hub.reconcile(HubState(revision, [peer], []))
            await eventually(lambda: hub.state().applied_revision == revision)  # noqa: B023
            devices = (await hub.engine.rest.config())["devices"]
            [found] = [each for each in devices if each["deviceID"] == PEER]
            names = ("paused", "maxSendKbps", "maxRecvKbps")
            expected = (peer.paused, peer.send_kib, peer.receive_kib)
            assert tuple(found[name] for name in names) == expected
