"""Hostile case 12: the process is killed while it unpacks."""

import time
from collections.abc import Callable
from pathlib import Path

import httpx

from tests.downloads.archives.making import FILES, leftovers, seven_zip, tree
from tests.downloads.conftest import USER
from tests.downloads.test_extraction_talk import below
from tests.process import quartet_serve

SECONDS = 30.0


def wait_for(right: Callable[[], bool]) -> None:
    """Another process tells nobody here when it is done."""
    end = time.monotonic() + SECONDS
    while not right():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_killed_while_unpacking_it_unpacks_after_the_next_start(tmp_path: Path) -> None:
    done = tmp_path / "done"
    (done / "a").mkdir(parents=True)
    seven_zip(done / "a", "set.7z", "-psecret", "-mhe=on")
    many = [f"wrong {number}" for number in range(500)]
    variables = {"DOWNLOADS_DONE_DIR": str(done)}
    with quartet_serve(tmp_path, services=("downloads",), **variables) as running:
        with httpx.Client(base_url=running.addresses["downloads"]) as ada:
            assert ada.post("/api/auth/setup", json=USER).status_code == 204
            ada.put("/api/settings", json={"deleteArchives": True})
            ada.put("/api/settings/archive-passwords", json={"passwords": many})
            ada.post("/api/files/extract", json={"paths": ["a"]})
            wait_for(lambda: bool(leftovers(done)))
            ada.put("/api/settings/archive-passwords", json={"passwords": ["secret"]})
        running.process.kill()
        running.process.wait()
    assert list(tree(done / "a"))[-1] == "set.7z"
    with quartet_serve(tmp_path, services=("downloads",), **variables):
        wait_for(lambda: tree(done) == below(FILES, "a"))
    assert leftovers(done) == []
