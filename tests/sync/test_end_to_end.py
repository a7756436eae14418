"""A server, agents and real engines: normal use and crashes."""

import os
import signal
from pathlib import Path

import pytest

from tests.real_servers import free_port
from tests.sync.engines import program_path
from tests.sync.processes import (
    Server,
    agent,
    engine_of,
    joined,
    joined_without_code,
    quartet,
    server,
    text,
    until,
)

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(autouse=True)
def syncthing() -> None:
    program_path()


def test_three_devices_share_folders(tmp_path: Path) -> None:
    with server(tmp_path, SYNC_LAN_PAIRING="true") as app:
        laptop, tower = joined(app, tmp_path, "laptop"), joined_without_code(app, tmp_path, "tower")
        attic = joined(app, tmp_path, "attic")
        with agent(laptop), agent(tower):
            until(lambda: app.device("laptop").get("online"))
            _approve(app, "tower", tower)
            until(lambda: app.device("tower").get("online"))
            with agent(attic):
                until(lambda: app.device("attic").get("online"))
            folder = _plain_folder(app, laptop, tower)
            _encrypted_folder(app, laptop, tower)
            overview = app.get("/api/overview")
            assert overview["hub"]["state"] == "running"
            assert [each["errors"] for each in overview["devices"]] == [[], [], []]
            _shared_while_away(app, folder, attic, laptop)


def _approve(app: Server, name: str, home: Path) -> None:
    """Approve as a user does, by comparing the fingerprints on both screens."""
    waiting = until(lambda: app.get("/api/overview")["waiting"])[0]
    assert waiting["fingerprint"] in text(home / "joined")
    answer = {"publicKey": waiting["publicKey"], "name": name}
    app.post(f"/api/waiting/{waiting['fingerprint']}/approve", answer)


def _plain_folder(app: Server, laptop: Path, tower: Path) -> int:
    folder = app.post("/api/folders", {"label": "Notes", "ignorePatterns": ["*.tmp"]})
    app.share(folder["id"], ("laptop", laptop / "notes"), ("tower", tower / "notes"))
    app.wait_until_idle(folder["id"], "laptop", "tower")
    (laptop / "notes/scratch.tmp").write_text("nobody's business")
    (laptop / "notes/plan.txt").write_text("from the laptop")
    until(lambda: text(tower / "notes/plan.txt") == "from the laptop")
    (tower / "notes/answer.txt").write_text("from the tower")
    until(lambda: text(laptop / "notes/answer.txt") == "from the tower")
    hub = app.data / "folders" / folder["engineFolderId"]
    assert sorted(each.name for each in hub.glob("*.t*")) == ["answer.txt", "plan.txt"]
    ident: int = folder["id"]
    return ident


def _shared_while_away(app: Server, folder: int, attic: Path, laptop: Path) -> None:
    """A device that was off catches up; after it is blocked, it receives nothing more."""
    row = {"folderId": folder, "deviceId": app.device("attic")["id"], "mode": "both"}
    app.post("/api/shares", {"changes": [{**row, "path": str(attic / "notes")}]})
    with agent(attic):
        until(lambda: text(attic / "notes/plan.txt") == "from the laptop")
        (attic / "notes/attic.txt").write_text("from the attic")
        until(lambda: text(laptop / "notes/attic.txt") == "from the attic")
        blocked = app.api.patch(f"/api/devices/{app.device('attic')['id']}", json={"blocked": True})
        assert blocked.is_success
        until(lambda: not app.device("attic").get("online"))
        (laptop / "notes/secret.txt").write_text("not for the attic")
        hub = next((app.data / "folders").glob("*/plan.txt")).parent
        until(lambda: text(hub / "secret.txt"))
        assert not (attic / "notes/secret.txt").exists()


def _encrypted_folder(app: Server, laptop: Path, tower: Path) -> None:
    folder = app.post("/api/folders", {"label": "Diary", "encryptedOnHub": True})
    ident = folder["engineFolderId"]
    app.share(folder["id"], ("laptop", laptop / "diary"), ("tower", tower / "diary"))
    codes = [each["code"] for each in app.device("laptop")["errors"]]
    assert codes == ["password_missing"]
    for home in (laptop, tower):
        where = ("--dir", str(home / ".agent"))
        quartet("agent", "password", ident, *where, cwd=home, stdin="correct horse\n")
    until(lambda: app.device("laptop")["errors"] == app.device("tower")["errors"] == [])
    app.wait_until_idle(folder["id"], "laptop", "tower")
    (laptop / "diary/today.txt").write_text("dear diary")
    until(lambda: text(tower / "diary/today.txt") == "dear diary")
    kept = [path for path in (app.data / "folders" / ident).rglob("*") if path.is_file()]
    assert kept
    assert not any("today" in path.name or b"dear" in path.read_bytes() for path in kept)


@pytest.mark.nightly
def test_everything_recovers_after_kill(tmp_path: Path) -> None:
    port, hub = str(free_port()), f"127.0.0.1:{free_port()}"
    with server(tmp_path, "--port", port, SYNC_HUB_LISTEN=hub) as app:
        home = joined(app, tmp_path, "laptop")
        folder = app.post("/api/folders", {"label": "Notes"})
        copy = app.data / "folders" / folder["engineFolderId"]
        with agent(home) as process:
            until(lambda: app.device("laptop").get("online"))
            app.share(folder["id"], ("laptop", home / "notes"))
            os.kill(engine_of(process.pid), signal.SIGKILL)
            assert process.wait(60) == 1, "the agent must exit with its engine"
        (home / "notes/offline.txt").write_text("written while nothing ran")
        with agent(home):
            until(lambda: text(copy / "offline.txt"))
            app.process.kill()
            app.process.wait(60)
            # The hub's engine is orphaned now; the next server replaces it.
            with server(tmp_path, "--port", port, SYNC_HUB_LISTEN=hub) as again:
                until(lambda: again.device("laptop").get("online"))
                more = again.post("/api/folders", {"label": "Music"})
                again.share(more["id"], ("laptop", home / "music"))
                again.wait_until_idle(more["id"], "laptop")
                (home / "music/song.txt").write_text("la la la")
                until(lambda: text(again.data / "folders" / more["engineFolderId"] / "song.txt"))
