"""A folder that was switched off on a device, or removed, can be shared there again."""

import shutil
from pathlib import Path

import pytest

from tests.sync.engines import program_path
from tests.sync.processes import Server, agent, joined, server, text, until

pytestmark = pytest.mark.timeout(300)


def test_folder_works_after_it_was_off_or_removed(tmp_path: Path) -> None:
    program_path()
    with server(tmp_path) as app:
        laptop, tower = joined(app, tmp_path, "laptop"), joined(app, tmp_path, "tower")
        with agent(laptop), agent(tower):
            until(lambda: app.device("laptop").get("online") and app.device("tower").get("online"))
            folder = app.post("/api/folders", {"label": "Notes", "ignorePatterns": ["*.tmp"]})
            places = ("laptop", laptop / "notes"), ("tower", tower / "notes")
            app.share(folder["id"], *places)
            app.wait_until_idle(folder["id"], "laptop", "tower")
            _passes(app, laptop / "notes/first.txt", tower / "notes/first.txt")

            _switch_off(app, folder["id"], "laptop")
            app.share(folder["id"], places[0])
            _passes(app, laptop / "notes/second.txt", tower / "notes/second.txt")

            before = app.get("/api/overview")["revision"]
            assert app.api.delete(f"/api/folders/{folder['id']}").is_success
            _wait_for_revision(app, before + 1)
            app.post(f"/api/revisions/{before}/restore", None)
            _wait_for_revision(app, before + 2)
            _passes(app, laptop / "notes/third.txt", tower / "notes/third.txt")
            assert app.get("/api/overview")["hub"]["error"] is None
            _lose_and_repair_marker(app, folder["id"], laptop / "notes")
            _passes(app, laptop / "notes/fourth.txt", tower / "notes/fourth.txt")


def _lose_and_repair_marker(app: Server, folder: int, place: Path) -> None:
    shutil.rmtree(place / ".stfolder")
    # The device checks its folders when it receives a state.
    app.post("/api/folders", {"label": "Another"})
    until(lambda: [each["code"] for each in app.device("laptop")["errors"]] == ["marker_missing"])
    app.post(f"/api/folders/{folder}/devices/{app.device('laptop')['id']}/rebuild", None)


def _passes(app: Server, sent: Path, received: Path) -> None:
    until(lambda: app.device("laptop")["errors"] == app.device("tower")["errors"] == [])
    sent.write_text(sent.name)
    until(lambda: text(received) == sent.name)


def _switch_off(app: Server, folder: int, name: str) -> None:
    row = {"folderId": folder, "deviceId": app.device(name)["id"], "mode": "off"}
    revision = app.post("/api/shares", {"changes": [row]})["revision"]
    _wait_for_revision(app, revision)


def _wait_for_revision(app: Server, revision: int) -> None:
    until(lambda: all(app.device(name)["appliedRev"] >= revision for name in ("laptop", "tower")))
    until(lambda: app.get("/api/overview")["hub"]["appliedRevision"] >= revision)
