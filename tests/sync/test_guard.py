"""A device that deletes much at once is held on the hub until a person decides."""

import asyncio
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.exc import DBAPIError

from quartet.sync.hub.types import HubChange, HubReport, NoHub
from quartet.sync.hubfiles.guard.service import Guard
from quartet.sync.hubfiles.guard.windows import MOST_PATHS, WINDOW_SECONDS, DeletionWindow
from quartet.sync.protocol import FolderStatus
from tests.sync.running_app import RunningApp, until, without_table

pytestmark = pytest.mark.anyio


class FullHub(NoHub):
    """A hub that has so many files left."""

    def __init__(self, folder: str, files: int) -> None:
        self._folders = {folder: FolderStatus("idle", files=files)}

    def state(self) -> HubReport:
        return HubReport("running", engine_id="HUB", folders=self._folders)


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
    guard = Guard(given["revisions"], hub, given["activity"], **limits)
    return Scene(app, guard, folder, device)


async def test_held_told_and_released(app: RunningApp) -> None:
    now = await scene(app, left=40)
    now.change("deleted", 60)
    assert await now.held()
    events = await app.get("/api/events")
    told = {each["code"]: each["inputs"] for each in events}
    assert told["deletions_held"] == {"device": "laptop", "folder": "Photos", "count": 60}
    assert "share_held" in told
    # A draft does not let it go by the way.
    await app.share(now.folder["id"], now.device, "/home/x/elsewhere")
    assert await now.held()
    await now.guard.release("admin", now.folder["id"], now.device)
    await until(lambda: _is_free(now))
    # What waited comes through now.
    now.change("deleted", 60)
    assert not await now.held()


async def test_one_that_could_not_be_held_is_held_later(app: RunningApp) -> None:
    now = await scene(app, left=40)
    now.change("deleted", 60)
    with without_table(app, "revisions"), pytest.raises(DBAPIError):
        await now.guard.check()
    assert await now.held()


async def test_an_earlier_revision_does_not_let_it_go(app: RunningApp) -> None:
    now = await scene(app, left=40)
    free = (await app.overview())["revision"]
    now.change("deleted", 60)
    assert await now.held()
    held = (await app.overview())["revision"]
    await app.post(f"/api/revisions/{free}/restore")
    assert await now.held()
    # Nor is one held again that a person has let go.
    await now.guard.release("admin", now.folder["id"], now.device)
    await app.post(f"/api/revisions/{held}/restore")
    assert not await now.held()


async def _is_free(now: Scene) -> bool:
    return not await now.held()


async def test_the_route_releases_only_what_is_held(app: RunningApp) -> None:
    now = await scene(app, left=0)
    url = f"/api/folders/{now.folder['id']}/devices/{now.device}/release"
    assert await app.refused("POST", url) == (409, "share_not_held")
    now.change("deleted", 51)
    assert await now.held()
    # A double click is no reason for an error nobody understands.
    answers = await asyncio.gather(*(app.admin.post(url) for _ in range(4)))
    assert sorted(each.status_code for each in answers) == [204, 409, 409, 409]
    assert not await now.held()
    assert await app.refused("POST", url.replace("folders/", "folders/9")) == (
        404,
        "folder_not_found",
    )


@pytest.mark.parametrize(
    ("deleted", "written", "left"),
    [
        # Half of a folder, and not more.
        (100, 0, 100),
        # Few files, though they are all.
        (50, 0, 0),
        # Moved to another place.
        (1000, 1000, 1000),
    ],
)
async def test_what_is_no_alarm(app: RunningApp, deleted: int, written: int, left: int) -> None:
    now = await scene(app, left)
    now.change("modified", written)
    now.change("deleted", deleted)
    now.change("deleted", 1000, kind="dir")
    now.change("deleted", 1000, device="SOMEBODY-ELSE")
    assert not await now.held()


async def test_it_can_be_switched_off(app: RunningApp) -> None:
    now = await scene(app, left=0, percent=0)
    now.change("deleted", 1000)
    assert not await now.held()


async def test_nobody_is_held_while_the_hub_cannot_count(app: RunningApp) -> None:
    now = await scene(app, left=1_000_000)
    hub: Any = now.guard._hub
    ident = now.folder["engineFolderId"]
    # Its engine starts anew, and knows a folder before it has counted the files in it.
    for statuses in ({}, {ident: FolderStatus("paused")}, {ident: FolderStatus("unknown")}):
        hub._folders = statuses
        now.change("deleted", 51)
        assert not await now.held()
    # What was deleted meanwhile is not forgotten.
    hub._folders = {ident: FolderStatus("idle", files=40)}
    assert await now.held()


@given(st.lists(st.tuples(st.floats(0, 200), st.sampled_from("abcd"), st.booleans())))
def test_a_window_counts_the_last_minute(changes: list[tuple[float, str, bool]]) -> None:
    changes.sort(key=lambda change: change[0])
    window = DeletionWindow()
    for at, path, deleted in changes:
        window.add(at, path, deleted=deleted)
    last = {path: (at, deleted) for at, path, deleted in changes}
    young = [deleted for at, deleted in last.values() if at >= 200 - WINDOW_SECONDS]
    assert window.gone(200.0) == sum(1 if deleted else -1 for deleted in young)
    assert window.is_empty == (not young)


def test_many_deletions_take_neither_time_nor_room() -> None:
    window, began = DeletionWindow(), time.process_time()
    for number in range(300_000):
        window.add(number / 100_000, str(number), deleted=True)
    assert window.gone(10.0) == MOST_PATHS
    assert time.process_time() - began < 10
