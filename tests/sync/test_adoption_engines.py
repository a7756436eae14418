"""A folder that was used with Syncthing before keeps its ignore patterns."""

from pathlib import Path

import pytest

from tests.sync.engines import program_path
from tests.sync.processes import agent, joined, server, text, until

pytestmark = pytest.mark.timeout(300)


def test_existing_ignore_file_is_found_kept_and_adopted(tmp_path: Path) -> None:
    program_path()
    with server(tmp_path) as app:
        home = joined(app, tmp_path, "laptop")
        place = home / "notes"
        place.mkdir()
        (place / ".stignore").write_text("// mine\n*.key\n/drafts\n")
        (place / "secret.key").write_text("not for the hub")
        with agent(home):
            until(lambda: app.device("laptop").get("online"))
            folder = app.post("/api/folders", {"label": "Notes", "ignorePatterns": ["*.tmp"]})
            hub = app.data / "folders" / folder["engineFolderId"]
            row = {
                "folderId": folder["id"],
                "deviceId": app.device("laptop")["id"],
                "mode": "both",
                "path": str(place),
            }
            [found] = app.post("/api/shares/patterns", {"changes": [row]})
            assert found["patterns"] == ["*.key", "/drafts"]
            # A path that the device does not allow is not read.
            outside = {**row, "path": "/etc"}
            assert app.post("/api/shares/patterns", {"changes": [outside]}) == []

            app.share(folder["id"], ("laptop", place))
            app.wait_until_idle(folder["id"], "laptop")
            _passes(place / "first.txt", hub / "first.txt")
            assert _lines(place) == ["*.tmp", "// mine", "*.key", "/drafts"]
            assert not (hub / "secret.key").exists()

            adopted = {"ignorePatterns": ["*.key", "/drafts"]}
            url = f"/api/folders/{folder['id']}"
            assert app.api.patch(url, json=adopted).is_success
            until(lambda: _lines(place) == ["*.key", "/drafts", "// mine"])
            until(lambda: _lines(hub) == ["*.key", "/drafts"])
            # The user's own line stays, the others follow the configuration.
            assert app.api.patch(url, json={"ignorePatterns": []}).is_success
            until(lambda: _lines(place) == ["// mine"])


def _lines(place: Path) -> list[str]:
    return text(place / ".stignore").splitlines()


def _passes(sent: Path, received: Path) -> None:
    sent.write_text(sent.name)
    until(lambda: text(received) == sent.name)
