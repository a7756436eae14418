"""The delete guard holds a device that deletes many files at once."""

import asyncio
from typing import Any

import pytest
from sqlalchemy.exc import DBAPIError

from quartet.sync.protocol import FolderStatus
from tests.sync.guard_scene import Scene, scene
from tests.sync.running_app import RunningApp, until, without_table

pytestmark = pytest.mark.anyio


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


async def test_changes_of_the_hub_itself_are_not_held(app: RunningApp) -> None:
    now = await scene(app, left=40)
    now.change("deleted", 600, device="HUB")
    assert not await now.held()
    assert not now.guard._windows
