"""Files on the hub, with a real device: uploads reach it, and a share link sends its file."""

import io
import zipfile
from pathlib import Path

import httpx
import pytest

from tests.client import NO_AUTHORITIES
from tests.sync.engines import program_path
from tests.sync.processes import agent, joined, server, text, until

pytestmark = pytest.mark.timeout(300)


def test_uploaded_file_reaches_device_and_share_link_sends_its_answer(tmp_path: Path) -> None:
    program_path()
    with server(tmp_path) as app:
        home = joined(app, tmp_path, "laptop")
        with agent(home):
            until(lambda: app.device("laptop").get("online"))
            made = app.post("/api/folders", {"label": "Notes"})
            until((app.data / "folders" / made["engineFolderId"] / ".stfolder").exists)
            folder = made["id"]
            app.share(folder, ("laptop", home / "notes"))
            app.wait_until_idle(folder, "laptop")
            files = f"/api/folders/{folder}/files"
            sent = app.api.put(f"{files}/content?path=trip/plan.txt", content=b"from the browser")
            assert sent.is_success, sent.text
            until(lambda: text(home / "notes/trip/plan.txt") == "from the browser")
            (home / "notes/trip/answer.txt").write_text("from the laptop")
            url = f"{files}/content?path=trip/answer.txt"
            until(lambda: app.api.get(url).text == "from the laptop")
            found = app.get(f"{files}?search=answer")["entries"]
            assert [each["path"] for each in found] == ["trip/answer.txt"]
            packed = zipfile.ZipFile(io.BytesIO(app.api.get(f"{files}/zip?path=trip").content))
            names = sorted(Path(name).name for name in packed.namelist() if not name.endswith("/"))
            assert names == ["answer.txt", "plan.txt"]
            link = app.post(f"/api/folders/{folder}/links", {"path": "trip/answer.txt", "hours": 1})
        # The device is off; the hub has the file.
        with httpx.Client(base_url=app.url, verify=NO_AUTHORITIES) as stranger:
            answer = stranger.post("/api/links/download", data={"token": link["token"]})
            assert answer.text == "from the laptop"
