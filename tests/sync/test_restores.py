"""Rolling a folder back to an earlier time, with the files of a hub but without its engine."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quartet.kernel.files import syscalls
from quartet.sync.hubfiles.folder_on_disk import FolderOnDisk
from quartet.sync.hubfiles.names import stamp
from quartet.sync.hubfiles.restores import plan as planning
from tests.sync.running_app import RunningApp, running_app, until

pytestmark = pytest.mark.anyio


class HubFolder:
    """Files of a hub whose times are given, because a test cannot wait for an hour."""

    def __init__(self, data: Path, folder: dict[str, Any], births: dict[int, float]) -> None:
        self.ident = folder["id"]
        self.api = f"/api/folders/{self.ident}/versions/restore"
        self.place = data / "folders" / folder["engineFolderId"]
        self.archive = data / "archive" / folder["engineFolderId"]
        self.place.mkdir(parents=True)
        self._births = births
        births[self.place.stat().st_ino] = 0.0

    def write(self, path: str, content: str, since: float) -> None:
        self._born(self.place / path, content, since)

    def version(self, path: str, content: str, since: float, until: float) -> None:
        where = Path(path)
        name = f"{where.stem}~{stamp(int(until))}{where.suffix}"
        self._born(self.place / ".stversions" / where.parent / name, content, since)

    def _born(self, path: Path, content: str, since: float) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        os.utime(path, (since, since))
        self._births[path.stat().st_ino] = since

    def contents(self) -> dict[str, str]:
        return {
            str(path.relative_to(self.place)): path.read_text()
            for path in self.place.rglob("*")
            if path.is_file() and ".stversions" not in path.parts
        }


@pytest.fixture
def births(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[int, float]]:
    """The birth times by inode; files that a restore makes have their real ones."""
    known: dict[int, float] = {}
    real = syscalls.birth_time

    def given(folder: int, name: str = "") -> float | None:
        found = os.stat(name, dir_fd=folder) if name else os.fstat(folder)
        return known[found.st_ino] if found.st_ino in known else real(folder, name)

    monkeypatch.setattr(planning, "birth_time", given)
    yield known


NOW = int(time.time())
HOUR = 3600


def day_of_changes(folder: HubFolder) -> None:
    """Change files in all ways since an hour ago."""
    day = NOW - 24 * HOUR
    folder.write("unchanged.txt", "unchanged", day)
    folder.write("notes.txt", "third", NOW - 600)
    folder.version("notes.txt", "zeroth", day, day + 60)
    folder.version("notes.txt", "first", day + 60, NOW - 2000)
    folder.version("notes.txt", "second", NOW - 2000, NOW - 600)
    folder.version("deep/deleted.txt", "deleted", day, NOW - 1000)
    folder.version("deleted before.txt", "long gone", day, NOW - 2 * HOUR)
    folder.write("new/created.txt", "created", NOW - 300)
    folder.version("short.txt", "came and went", NOW - 400, NOW - 300)
    # A renamed file keeps its modification time.
    folder.version("old name.txt", "renamed", day, NOW - 200)
    folder.write("new name.txt", "renamed", NOW - 200)
    os.utime(folder.place / "new name.txt", (day, day))


THEN = {
    "unchanged.txt": "unchanged",
    "notes.txt": "first",
    "deep/deleted.txt": "deleted",
    "old name.txt": "renamed",
}


async def made(app: RunningApp, data: Path, births: dict[int, float]) -> HubFolder:
    folder = HubFolder(data, await app.folder("Notes"), births)
    day_of_changes(folder)
    return folder


async def ended(app: RunningApp, folder: HubFolder) -> dict[str, Any]:
    async def check() -> Any:
        [newest, *_] = await app.get(f"/api/folders/{folder.ident}/restores")
        return newest if newest["endedAt"] is not None else None

    found: dict[str, Any] = await until(check)
    return found


async def test_preview_lists_what_setting_back_changes(
    app: RunningApp, data: Path, births: dict[int, float]
) -> None:
    folder = await made(app, data, births)
    # The engine is writing it.
    folder.write(".syncthing.arriving.txt.tmp", "a part", NOW - 1)
    before = folder.contents()
    seen = await app.post(f"{folder.api}/preview", {"before": NOW - HOUR})
    assert [(each["path"], each["action"]) for each in seen["files"]] == [
        ("deep/deleted.txt", "restored"),
        ("new/created.txt", "removed"),
        ("new name.txt", "removed"),
        ("notes.txt", "replaced"),
        ("old name.txt", "restored"),
    ]
    counts = [seen[name] for name in ("restored", "replaced", "removed", "kept", "bytes")]
    assert counts == [2, 1, 2, 1, len("deleted" + "first" + "renamed")]
    assert not seen["incomplete"]
    assert folder.contents() == before
    below = await app.post(f"{folder.api}/preview", {"before": NOW - HOUR, "below": "deep"})
    assert [each["path"] for each in below["files"]] == ["deep/deleted.txt"]
    file = await app.post(f"{folder.api}/preview", {"before": NOW - HOUR, "below": "notes.txt"})
    assert [each["path"] for each in file["files"]] == ["notes.txt"]
    assert (await app.post(f"{folder.api}/preview", {"before": 1}))["incomplete"]


async def test_folder_is_set_back_and_undone(
    app: RunningApp, data: Path, births: dict[int, float]
) -> None:
    folder = await made(app, data, births)
    before = folder.contents()
    begun = await app.post(folder.api, {"before": NOW - HOUR})
    assert (begun["endedAt"], begun["below"]) == (None, "")
    refused = await app.refused("POST", folder.api, json={"before": NOW - HOUR})
    done = await ended(app, folder)
    assert refused == (409, "restore_running")
    assert (done["total"], done["done"], done["failed"], done["error"]) == (5, 5, 0, "")
    assert folder.contents() == THEN
    assert not (folder.place / "new").exists()
    events = await app.get("/api/events")
    assert {each["code"]: each["inputs"] for each in events}["folder_set_back"]["count"] == 5
    audited = await app.get("/api/system/audit", event="files_restored")
    assert [each["path"] for each in audited["entries"]] == [folder.api]
    # Nothing was destroyed.
    await app.post(folder.api, {"before": begun["startedAt"]})
    assert (await ended(app, folder))["failed"] == 0
    assert folder.contents() == before


async def test_interrupted_operation_leaves_only_the_rest_to_do(
    app: RunningApp, data: Path, births: dict[int, float]
) -> None:
    folder = await made(app, data, births)
    restores: Any = app.started.built.dependencies["restores"]
    place = FolderOnDisk(data, restores._folders.folder(folder.ident))
    past = planning.PastMoment(NOW - HOUR, NOW)
    whole = planning.make_plan(place, (), past)
    # As after a kill: some files are rolled back, and the operation has no end.
    for step in whole.steps[::2]:
        if step.source is None:
            place.move_to_archive(step.path)
        else:
            place.restore_version(step.source.root, step.source.parts, step.path)
    rest = planning.make_plan(place, (), past)
    assert [step.path for step in rest.steps] == [step.path for step in whole.steps[1::2]]
    await app.post(folder.api, {"before": NOW - HOUR})
    await ended(app, folder)
    assert folder.contents() == THEN


async def test_file_in_the_way_of_a_folder_is_set_back(
    app: RunningApp, data: Path, births: dict[int, float]
) -> None:
    folder = HubFolder(data, await app.folder("Notes"), births)
    folder.write("was folder", "now a file", NOW - 60)
    folder.version("was folder/a.txt", "a", NOW - 2 * HOUR, NOW - 60)
    folder.write("was file/b.txt", "now a folder", NOW - 60)
    folder.version("was file", "b", NOW - 2 * HOUR, NOW - 60)
    await app.post(folder.api, {"before": NOW - HOUR})
    await ended(app, folder)
    assert folder.contents() == {"was folder/a.txt": "a", "was file": "b"}


async def test_conflict_copy_holds_the_content_of_its_time(
    app: RunningApp, data: Path, births: dict[int, float]
) -> None:
    folder = HubFolder(data, await app.folder("Notes"), births)
    copy = f"plan.sync-conflict-{stamp(NOW - 60)}-ABCDEFG.txt"
    folder.write(copy, "mine", NOW - 2 * HOUR)
    folder.write("plan.txt", "theirs", NOW - 60)
    await app.post(folder.api, {"before": NOW - HOUR})
    await ended(app, folder)
    assert folder.contents() == {copy: "mine", "plan.txt": "mine"}


async def test_next_content_replaces_one_that_was_thinned_out(
    app: RunningApp, data: Path, births: dict[int, float]
) -> None:
    folder = HubFolder(data, await app.folder("Notes"), births)
    # Only one version of each 30 seconds stays.
    folder.version("often.txt", "earlier", NOW - 900, NOW - 620)
    folder.version("often.txt", "soon after", NOW - 595, NOW - 400)
    folder.write("often.txt", "now", NOW - 400)
    await app.post(folder.api, {"before": NOW - 600})
    await ended(app, folder)
    assert folder.contents() == {"often.txt": "soon after"}


async def test_copied_data_is_judged_by_modification_times(
    app: RunningApp, data: Path, births: dict[int, float]
) -> None:
    folder = await made(app, data, births)
    # The whole folder was copied to this disk a minute ago.
    for ident in births:
        births[ident] = NOW - 60
    await app.post(folder.api, {"before": NOW - HOUR})
    await ended(app, folder)
    assert folder.contents() == {**THEN, "new name.txt": "renamed"}


async def test_requests_that_mix_both_forms_are_refused(app: RunningApp, data: Path) -> None:
    folder = HubFolder(data, await app.folder("Notes"), {})
    for body in (
        {},
        {"path": "a"},
        {"at": 1},
        {"path": "a", "at": 1, "before": 2},
        {"below": "a"},
        {"before": -1},
        {"before": 1, "bellow": "a"},
    ):
        answer = await app.admin.post(folder.api, json=body)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request"), body
    for below in ("../x", "/etc", ".stversions", "a//b", "a\0"):
        answer = await app.admin.post(folder.api, json={"before": NOW, "below": below})
        assert answer.status_code == 400, below
    secret = await app.folder("Secret", encryptedOnHub=True)
    url = f"/api/folders/{secret['id']}/versions/restore"
    assert await app.refused("POST", url, json={"before": NOW}) == (409, "encrypted_on_hub")


async def test_unfinished_operation_runs_at_startup(data: Path, births: dict[int, float]) -> None:
    async with running_app(data) as app:
        folder = await made(app, data, births)
        restores: Any = app.started.built.dependencies["restores"]
        # The server stops before the task notices the operation.
        restores.requested = type("Never", (), {"set": lambda _self: None})()
        await app.post(folder.api, {"before": NOW - HOUR})
    async with running_app(data) as app:
        assert (await ended(app, folder))["done"] == 5
        assert folder.contents() == THEN
