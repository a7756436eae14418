"""A conflict between real engines is resolved on the server, and every device gets the result."""

import os
import time
from pathlib import Path
from typing import Any

import pytest

from tests.sync.engines import program_path
from tests.sync.processes import Server, agent, joined, server, text, until

pytestmark = pytest.mark.timeout(300)


def names(folder: Path) -> list[str]:
    """Return the names without the engine's own files: `.stfolder` and unfinished downloads."""
    own = (".st", ".syncthing.")
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith(own))


def test_conflict_is_resolved_and_version_restored(tmp_path: Path) -> None:
    program_path()
    with server(tmp_path) as app:
        laptop, tower = joined(app, tmp_path, "laptop"), joined(app, tmp_path, "tower")
        here, there = laptop / "notes", tower / "notes"
        with agent(laptop):
            with agent(tower):
                folder = _shared(app, here, there)
            hub = app.data / "folders" / folder["engineFolderId"]
            _disagree(here, there, hub)
        with agent(tower):
            copies = _shown(app, folder["id"])
            with agent(laptop):
                _settle(app, folder["id"], here, there, hub)
                _resolve(app, folder["id"], copies, here, there)
                _restore(app, folder["id"], here, there)


def _shared(app: Server, here: Path, there: Path) -> dict[str, Any]:
    until(lambda: app.device("laptop").get("online") and app.device("tower").get("online"))
    folder: dict[str, Any] = app.post("/api/folders", {"label": "Notes"})
    app.share(folder["id"], ("laptop", here), ("tower", there))
    app.wait_until_idle(folder["id"], "laptop", "tower")
    for name in "abc":
        (here / f"{name}.txt").write_text("the beginning")
    until(lambda: all(text(there / f"{name}.txt") for name in "abc"))
    return folder


def _disagree(here: Path, there: Path, hub: Path) -> None:
    """The tower is off. Its text is newer in a and b, the laptop's in c."""
    before = time.time() - 60
    for name in "abc":
        (here / f"{name}.txt").write_text("of the laptop")
        (there / f"{name}.txt").write_text("of the tower!")
    # The disk's clock may give both files the same time.
    for older in (here / "a.txt", here / "b.txt", there / "c.txt"):
        os.utime(older, (before, before))
    until(lambda: all(text(hub / f"{name}.txt") == "of the laptop" for name in "abc"))


def _shown(app: Server, folder: int) -> dict[str, Any]:
    found = until(lambda: len(rows := app.get(f"/api/folders/{folder}/conflicts")) == 3 and rows)
    makers = {each["path"]: (each["madeBy"] or {}).get("name") for each in found}
    # The copy's name contains the winner, but users see the device whose text it is.
    assert makers == {"a.txt": "laptop", "b.txt": "laptop", "c.txt": "tower"}
    overview = app.get("/api/overview")
    assert [each["conflicts"] for each in overview["folders"]] == [3]
    copies = {each["path"]: each for each in found}
    assert all(abs(each["at"] - time.time()) < 60 for each in found)
    answer = app.api.get(
        f"/api/folders/{folder}/conflicts/content", params={"copy": copies["a.txt"]["copyPath"]}
    ).json()
    assert (answer["current"]["text"], answer["copy"]["text"]) == ("of the tower!", "of the laptop")
    side = app.api.get(f"/api/folders/{folder}/files/content?path={copies['a.txt']['copyPath']}")
    assert side.text == "of the laptop"
    told = [each for each in app.get("/api/events") if each["kind"] == "conflict"]
    assert {each["code"] for each in told} == {"conflict_found_of"}
    return copies


def _settle(app: Server, folder: int, here: Path, there: Path, hub: Path) -> None:
    """Wait until the laptop has the conflicts too; it may make more copies.

    If both made their copies at the same time, these could get the same name, and a copy removed by
    the
    hub would return from the laptop. So the laptop was off until the hub had made its copies.
    """
    until(lambda: all(text(here / f"{name}.txt") == "of the tower!" for name in "ab"))
    until(lambda: names(here) == names(there) == names(hub))
    until(lambda: len(app.get(f"/api/folders/{folder}/conflicts")) == len(names(hub)) - 3)


def _resolve(app: Server, folder: int, copies: dict[str, Any], here: Path, there: Path) -> None:
    first = {each["copyPath"] for each in copies.values()}
    found = {each["copyPath"] for each in app.get(f"/api/folders/{folder}/conflicts")}
    decisions = [(each, "current") for each in sorted(found - first)]
    for name, keep in (("b.txt", "copy"), ("c.txt", "both")):
        decisions.append((copies[name]["copyPath"], keep))
    for copy, keep in decisions:
        app.post(f"/api/folders/{folder}/conflicts/resolve", {"copy": copy, "keep": keep})
    # The newest side of the last conflict is the current one.
    rest = app.post(f"/api/folders/{folder}/conflicts/resolve-all", {"keep": "newest"})
    assert rest == {"resolved": 1, "skipped": 0}
    wanted = ["a.txt", "b.txt", "c.tower.txt", "c.txt"]
    for place in (here, there):
        until(lambda place=place: names(place) == wanted)
        until(lambda place=place: text(place / "b.txt") == "of the laptop")
        assert text(place / "a.txt") == "of the tower!"
        assert text(place / "c.txt") == "of the laptop"
        assert text(place / "c.tower.txt") == "of the tower!"
    assert app.get(f"/api/folders/{folder}/conflicts") == []


def _restore(app: Server, folder: int, here: Path, there: Path) -> None:
    url = f"/api/folders/{folder}/versions"
    before = app.get(f"{url}?path=b.txt")["versions"]
    assert before, "the replaced file must be a version"
    newest = before[0]
    sent = app.api.get(f"/api/folders/{folder}/files/content?path=b.txt&at={newest['at']}")
    assert sent.text == "of the tower!"
    app.post(f"{url}/restore", {"path": "b.txt", "at": newest["at"]})
    for place in (here, there):
        until(lambda place=place: text(place / "b.txt") == "of the tower!")
    after = app.get(f"{url}?path=b.txt")["versions"]
    assert newest in after, "the restored version must be kept"
    assert len(after) == len(before) + 1, "the previous file must be a version"
