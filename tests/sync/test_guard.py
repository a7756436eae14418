"""The delete guard holds a device that deletes many files at once."""

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.exc import DBAPIError

from quartet.sync.engine.types import NeededFile
from quartet.sync.hub.gate import Gate
from quartet.sync.hub.pending_files import file_actions
from quartet.sync.hub.types import HubChange, HubReport, NoHub, PendingChange, PendingChanges
from quartet.sync.hubfiles.guard import service, watch
from quartet.sync.hubfiles.guard.counting import Move, count_files
from quartet.sync.hubfiles.guard.moves import Moves
from quartet.sync.hubfiles.guard.service import Holds
from quartet.sync.hubfiles.guard.watch import Guard
from quartet.sync.hubfiles.guard.windows import MOST_PATHS, WINDOW_SECONDS, ChangeWindow
from quartet.sync.protocol import FolderStatus
from tests.sync.running_app import RunningApp, until, without_table

pytestmark = pytest.mark.anyio


class FullHub(NoHub):
    """A hub with a given number of remaining files."""

    def __init__(self, folder: str, files: int) -> None:
        self._folders = {folder: FolderStatus("idle", files=files)}

    def state(self) -> HubReport:
        return HubReport("running", engine_id="HUB", folders=self._folders)


async def no_scan(_folder: str, _device: str) -> int:
    return 0


class Scene:
    def __init__(self, app: RunningApp, guard: Guard, folder: dict[str, Any], device: int) -> None:
        self.app, self.guard, self.folder, self.device = app, guard, folder, device
        self.engine_id = app.agents[0].engine_id

    def change(self, action: str, count: int, *, kind: str = "file", device: str = "") -> None:
        who = device or self.engine_id
        ident = self.folder["engineFolderId"]
        self.guard.handle_changes(
            HubChange(ident, who, action, f"{action} {number}", kind) for number in range(count)
        )

    async def held(self) -> bool:
        await self.guard.check()
        [share] = (await self.app.overview())["shares"]
        return bool(share.get("held"))


async def scene(app: RunningApp, left: int, **options: int) -> Scene:
    device, _ = await app.device()
    folder = await app.folder("Photos")
    await app.share(folder["id"], device, "/home/x/photos")
    given: Any = app.started.built.dependencies
    limits = {"percent": 50, "files": 50, **options}
    hub = FullHub(folder["engineFolderId"], left)
    made = (app.started.kernel.db, given["revisions"], hub, given["versions"], given["activity"])
    guard = Guard(Holds(*made), hub, None, no_scan, **limits)
    return Scene(app, guard, folder, device)


async def test_share_is_held_recorded_and_released(app: RunningApp) -> None:
    now = await scene(app, left=40)
    now.change("deleted", 60)
    assert await now.held()
    events = await app.get("/api/events")
    told = {each["code"]: each["inputs"] for each in events}
    assert told["deletions_held"] == {"device": "laptop", "folder": "Photos", "count": 60}
    assert "share_held" in told
    # A draft does not release the share.
    await app.share(now.folder["id"], now.device, "/home/x/elsewhere")
    assert await now.held()
    await now.guard.holds.release("admin", now.folder["id"], now.device)
    await until(lambda: _is_free(now))
    # The device may delete files after the release.
    now.change("deleted", 60)
    assert not await now.held()


async def test_hold_is_retried_after_failed_write(app: RunningApp) -> None:
    now = await scene(app, left=40)
    now.change("deleted", 60)
    with without_table(app, "revisions"), pytest.raises(DBAPIError):
        await now.guard.check()
    assert await now.held()


async def test_restored_revision_does_not_release_held_share(app: RunningApp) -> None:
    now = await scene(app, left=40)
    free = (await app.overview())["revision"]
    now.change("deleted", 60)
    assert await now.held()
    held = (await app.overview())["revision"]
    await app.post(f"/api/revisions/{free}/restore")
    assert await now.held()
    # A released share is not held again either.
    await now.guard.holds.release("admin", now.folder["id"], now.device)
    await app.post(f"/api/revisions/{held}/restore")
    assert not await now.held()


async def _is_free(now: Scene) -> bool:
    return not await now.held()


async def test_only_held_share_can_be_released(app: RunningApp) -> None:
    now = await scene(app, left=0)
    url = f"/api/folders/{now.folder['id']}/devices/{now.device}/release"
    assert await app.refused("POST", url) == (409, "share_not_held")
    now.change("deleted", 51)
    assert await now.held()
    # A double click must not cause an internal error.
    answers = await asyncio.gather(*(app.admin.post(url) for _ in range(4)))
    assert sorted(each.status_code for each in answers) == [204, 409, 409, 409]
    assert not await now.held()
    audited = await app.get("/api/system/audit", event="held_changes_released")
    assert [each["path"] for each in audited["entries"]] == [url]
    assert await app.refused("POST", url.replace("folders/", "folders/9")) == (
        404,
        "folder_not_found",
    )


@pytest.mark.parametrize(
    ("deleted", "written", "left"),
    [
        # Exactly half of the folder.
        (100, 0, 100),
        # All files, but only a few.
        (50, 0, 0),
    ],
)
async def test_harmless_changes_do_not_trigger_guard(
    app: RunningApp, deleted: int, written: int, left: int
) -> None:
    now = await scene(app, left)
    now.change("modified", written)
    now.change("deleted", deleted)
    now.change("deleted", 1000, kind="dir")
    now.change("deleted", 1000, device="SOMEBODY-ELSE")
    assert not await now.held()


async def test_renamed_files_trigger_guard_although_as_many_are_new(app: RunningApp) -> None:
    # Malware writes encrypted files with new names and deletes the old ones.
    now = await scene(app, left=100)
    now.change("modified", 100)
    now.change("deleted", 100)
    assert await now.held()


async def test_guard_can_be_disabled(app: RunningApp) -> None:
    now = await scene(app, left=0, percent=0)
    now.change("deleted", 1000)
    assert not await now.held()


async def test_nothing_is_held_while_file_count_is_unknown(app: RunningApp) -> None:
    now = await scene(app, left=1_000_000)
    hub: Any = now.guard._hub
    ident = now.folder["engineFolderId"]
    # After a restart the engine knows a folder before it has counted its files.
    for statuses in ({}, {ident: FolderStatus("paused")}, {ident: FolderStatus("unknown")}):
        hub._folders = statuses
        now.change("deleted", 51)
        assert not await now.held()
    # Deletions in the meantime still count.
    hub._folders = {ident: FolderStatus("idle", files=40)}
    assert await now.held()


def test_only_moved_files_do_not_count() -> None:
    changes = [
        PendingChange("a.jpg", "one", "deleted", 10),
        PendingChange("2026/a.jpg", "one", "added", 10),
        # Renamed, replaced and deleted.
        PendingChange("b.jpg", "one", "deleted", 10),
        PendingChange("b.jpg.locked", "one", "added", 10),
        PendingChange("c.jpg", "one", "replaced", 10),
        PendingChange("d.jpg", "two", "deleted", 10),
        # A file of another device, and one of another size.
        PendingChange("2026/d.jpg", "one", "added", 10),
        PendingChange("2026/c.jpg", "two", "added", 11),
        PendingChange("e.jpg", None, "deleted", 10),
    ]
    counted = count_files(changes)
    found = {device: [each.path for each in lost] for device, lost in counted.lost.items()}
    assert found == {"one": ["b.jpg", "c.jpg"], "two": ["d.jpg"]}
    assert counted.moved == [Move("one", "a.jpg", "2026/a.jpg")]


class SizedHub(NoHub):
    def __init__(self) -> None:
        self.gone = {"lost/c.jpg"}

    async def sizes(self, _folder: str, paths: list[str]) -> dict[str, int]:
        return {path: 10 for path in paths if path not in self.gone}


async def test_file_that_arrived_before_its_deletion_is_moved() -> None:
    hub = SizedHub()
    moves, window = Moves(hub), ChangeWindow()
    for path in ("2026/a.jpg", "2026/b.jpg", "lost/c.jpg", "other.jpg"):
        window.add(1, path, "added")
    deleted = [
        PendingChange("a.jpg", "one", "deleted", 10),
        # Another size, and a file that is not on the hub any more.
        PendingChange("b.jpg", "one", "deleted", 11),
        PendingChange("c.jpg", "one", "deleted", 10),
    ]
    counted = await moves.count("photos", PendingChanges(deleted, 7), {"one": window})
    assert [each.path for each in counted.lost["one"]] == ["b.jpg", "c.jpg"]
    assert counted.moved == [Move("one", "a.jpg", "2026/a.jpg")]
    moves.expect("photos", counted.moved, {"one": window})
    # Neither the new file nor the deletion counts, but a second deletion does.
    assert window.added == 3
    # While the first deletions pass, another file of the folder asks.
    counted = await moves.count("photos", PendingChanges(deleted, 7), {"one": window})
    assert [each.path for each in counted.lost["one"]] == ["b.jpg", "c.jpg"]
    # The device has deleted what it moved.
    hub.gone.add("2026/a.jpg")
    counted = await moves.count("photos", PendingChanges(deleted, 7), {"one": window})
    assert [each.path for each in counted.lost["one"]] == ["a.jpg", "b.jpg", "c.jpg"]
    assert [moves.take("photos", "a.jpg") for _ in range(2)] == [True, False]
    assert not moves.take("photos", "2026/a.jpg")


def test_file_that_engine_has_not_recorded_yet_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(b"picture")
    os.utime(tmp_path / "a.jpg", ns=(0, 1_700_000_000_123_456_789))
    same = NeededFile("a.jpg", size=7, modified="2023-11-14T22:13:20.123456789Z")
    files = [
        same,
        msgspec.structs.replace(same, size=8),
        msgspec.structs.replace(same, modified="2023-11-14T22:13:21.123456789Z"),
        msgspec.structs.replace(same, modified="not a time"),
        msgspec.structs.replace(same, deleted=True, size=0),
        msgspec.structs.replace(same, name="b.jpg"),
    ]
    found = [action for action, _ in file_actions(tmp_path, files)]
    assert found == ["added", "replaced", "replaced", "replaced", "deleted", "added"]


@given(st.lists(st.tuples(st.floats(0, 200), st.sampled_from("abcd"), st.booleans())))
def test_window_counts_last_minute(changes: list[tuple[float, str, bool]]) -> None:
    changes.sort(key=lambda change: change[0])
    window = ChangeWindow()
    for at, path, deleted in changes:
        window.add(at, path, "deleted" if deleted else "added")
    last = {path: (at, deleted) for at, path, deleted in changes}
    young = [deleted for at, deleted in last.values() if at >= 200 - WINDOW_SECONDS]
    assert window.lost(200.0) == sum(young)
    assert window.is_empty == (not young)


def test_replaced_file_counts_as_lost_although_it_changes_again() -> None:
    """The hub asks before it replaces a file, but not before it changes its time or rights."""
    window = ChangeWindow()
    window.add(1, "a.jpg", "replaced")
    window.add(2, "a.jpg", "added")
    assert list(window.lost_files()) == ["a.jpg"]
    assert (window.lost(2), window.added) == (1, 0)


def test_many_deletions_are_cheap() -> None:
    window, began = ChangeWindow(), time.process_time()
    for number in range(300_000):
        window.add(number / 100_000, str(number), "deleted")
    assert window.lost(10.0) == MOST_PATHS
    assert time.process_time() - began < 10


async def test_changes_of_the_hub_itself_are_not_held(app: RunningApp) -> None:
    now = await scene(app, left=40)
    now.change("deleted", 600, device="HUB")
    assert not await now.held()
    assert not now.guard._windows


async def test_checked_files_may_pass_for_long_while_some_do(
    app: RunningApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = await scene(app, left=2)
    folder, who = now.folder["engineFolderId"], now.engine_id
    place = tmp_path / "gate"
    gate = Gate(place)
    gate.prepare()
    pending = [PendingChange(path, who, "deleted", 10) for path in ("a.jpg", "b.jpg")]

    class AskingHub(FullHub):
        async def pending(self, _folder: str) -> PendingChanges:
            return PendingChanges(pending, 2)

    hub = AskingHub(folder, 2)
    guard = Guard(now.guard.holds, hub, gate, no_scan, percent=50, files=50)
    allowed = [place / "allowed" / folder / each.path for each in pending]
    (place / "asked" / folder).touch()

    waiting: Path = allowed[1]

    async def check() -> bool:
        await guard.check()
        return waiting.exists()

    await until(check)
    # The engine takes a while for the first file.
    allowed[0].unlink()
    (place / "passed" / f"1.{folder}").write_text("a.jpg//")
    guard.handle_changes([HubChange(folder, who, "deleted", "a.jpg", "file")])
    assert await check()
    pending.pop(0)
    monkeypatch.setattr(watch, "time", Later(watch.ALLOWED_SECONDS))
    assert await check()
    monkeypatch.setattr(watch, "time", Later(2 * watch.ALLOWED_SECONDS + 1))
    assert not await check()


async def test_release_lasts_until_all_files_have_passed(
    app: RunningApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = await scene(app, left=40)
    now.change("deleted", 100)
    assert await now.held()
    url = f"/api/folders/{now.folder['id']}/devices/{now.device}/release"
    folder, who = now.folder["engineFolderId"], now.engine_id
    holds = now.guard.holds
    # The server of the test has a guard of its own.
    await holds.release("admin", now.folder["id"], now.device)
    assert (await app.refused("POST", url))[0] == 409
    place = tmp_path / "gate"
    gate = Gate(place)
    gate.prepare()
    pending = [PendingChange(f"{number}.jpg", who, "deleted", 10) for number in range(200)]

    class AskingHub(FullHub):
        async def pending(self, _folder: str) -> PendingChanges:
            return PendingChanges(list(pending), len(pending))

    guard = Guard(holds, AskingHub(folder, 200), gate, no_scan, percent=50, files=50)
    (place / "asked" / folder).touch()
    last: Path = place / "allowed" / folder / pending[-1].path

    async def allowed() -> bool:
        await guard.check()
        return last.exists()

    async def held() -> bool:
        [share] = (await app.overview())["shares"]
        return bool(share.get("held"))

    def let_pass(count: int) -> None:
        for each in pending[:count]:
            (place / "passed" / f"{each.path[:-4]}.{folder}").write_text(f"{each.path}//")
        guard.handle_changes(
            HubChange(folder, who, "deleted", each.path, "file") for each in pending[:count]
        )
        del pending[:count]

    await until(allowed)
    # More than ten minutes, with a check each minute.
    for minute in range(1, 16):
        let_pass(2)
        assert await allowed(), minute
        later = Later(minute * (watch.ALLOWED_SECONDS + 1))
        monkeypatch.setattr(watch, "time", later)
        monkeypatch.setattr(service, "time", later)
        assert await allowed(), minute
    assert not await held()
    # Files that the device adds to them are not part of the release.
    pending.extend(PendingChange(f"{number}.png", who, "deleted", 10) for number in range(300))
    for minute in range(16, 32):
        let_pass(1)
        pending.append(PendingChange(f"{minute}.gif", who, "deleted", 10))
        await guard.check()
        later = Later(minute * (watch.ALLOWED_SECONDS + 1))
        monkeypatch.setattr(watch, "time", later)
        monkeypatch.setattr(service, "time", later)
        await guard.check()
    assert await held()


async def test_released_changes_do_not_count_when_the_release_ends(
    app: RunningApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = await scene(app, left=40)
    now.change("deleted", 100)
    assert await now.held()
    await now.guard.holds.release("admin", now.folder["id"], now.device)

    def wait_until(seconds: float) -> None:
        monkeypatch.setattr(watch, "time", Later(seconds))
        monkeypatch.setattr(service, "time", Later(seconds))

    # A minute of room on each side, because the test itself takes time.
    wait_until(service.RELEASE_SECONDS - 60)
    now.change("deleted", 100)
    assert not await now.held()
    wait_until(service.RELEASE_SECONDS + 60)
    assert not await now.held()
    now.change("deleted", 100)
    assert await now.held()


class Later:
    """The clock of the guard, some seconds ahead."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def monotonic(self) -> float:
        return time.monotonic() + self._seconds

    def time(self) -> float:
        return time.time() + self._seconds
