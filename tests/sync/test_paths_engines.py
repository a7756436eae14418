"""Sharing without typing a path, and selective sync, with real engines."""

from pathlib import Path

import pytest

from tests.sync.engines import program_path
from tests.sync.processes import agent, joined, server, text, until

pytestmark = pytest.mark.timeout(300)


def test_template_path_and_patterns_of_share_apply_on_device(tmp_path: Path) -> None:
    program_path()
    with server(tmp_path) as app:
        home = joined(app, tmp_path, "laptop")
        (home / "Music").mkdir()
        with agent(home):
            until(lambda: app.device("laptop").get("online"))
            device = app.device("laptop")["id"]
            assert app.get(f"/api/devices/{device}/folders?path=~")["folders"] == ["Music"]
            folder = app.post("/api/folders", {"label": "Photos"})
            hub = app.data / "folders" / folder["engineFolderId"]
            row = {
                "folderId": folder["id"],
                "deviceId": device,
                "mode": "both",
                "ignorePatterns": ["!/2024", "*"],
            }
            app.post("/api/shares", {"changes": [row]})
            app.wait_until_idle(folder["id"], "laptop")
            place = home / "Sync/Photos"
            assert text(place / ".stignore").splitlines() == ["!/2024", "*"]
            for year in ("2023", "2024"):
                (place / year).mkdir()
                (place / year / "a.jpg").write_text(year)
            until(lambda: text(hub / "2024/a.jpg") == "2024")
            assert not (hub / "2023").exists()
            # Without the patterns, the rest follows.
            app.post("/api/shares", {"changes": [{**row, "ignorePatterns": []}]})
            until(lambda: text(hub / "2023/a.jpg") == "2023")
