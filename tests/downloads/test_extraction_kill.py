"""The process is killed during an extraction."""

from pathlib import Path

import httpx

from tests.downloads.archives.make_archives import FILES, leftovers, seven_zip, tree, wait_for
from tests.downloads.extraction_helpers import below
from tests.downloads.first_user import first_user
from tests.process import quartet_serve


def test_killed_extraction_is_repeated_after_restart(tmp_path: Path) -> None:
    done = tmp_path / "done"
    (done / "a").mkdir(parents=True)
    seven_zip(done / "a", "set.7z", "-psecret", "-mhe=on")
    many = [f"wrong {number}" for number in range(500)]
    variables = {"DOWNLOADS_DONE_DIR": str(done)}
    data = tmp_path / "data" / "downloads"
    with quartet_serve(tmp_path, services=("downloads",), **variables) as running:
        with httpx.Client(base_url=running.addresses["downloads"]) as ada:
            assert ada.post("/api/auth/setup", json=first_user(data)).status_code == 204
            ada.put("/api/settings", json={"deleteArchives": True})
            ada.put("/api/settings/archive-passwords", json={"passwords": many})
            ada.post("/api/files/extract", json={"paths": ["a"]})
            wait_for(lambda: bool(leftovers(done)), 30.0)
            ada.put("/api/settings/archive-passwords", json={"passwords": ["secret"]})
        running.process.kill()
        running.process.wait()
    assert list(tree(done / "a"))[-1] == "set.7z"
    with quartet_serve(tmp_path, services=("downloads",), **variables):
        wait_for(lambda: tree(done) == below(FILES, "a"), 30.0)
    assert leftovers(done) == []
