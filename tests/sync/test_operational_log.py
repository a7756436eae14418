"""The log of a share from its revision to the device, and of changes on the hub."""

import logging
from pathlib import Path

import pytest

from quartet.sync.protocol import Applied
from tests.log_lines import assert_in_order, assert_no_secrets, lines
from tests.sync.guard_scene import scene
from tests.sync.running_app import PASSWORD, RunningApp, until
from tests.sync.test_conflicts import MARK, search
from tests.sync.test_versions import AT, STAMP

pytestmark = pytest.mark.anyio


async def test_log_follows_share_from_revision_to_device(
    app: RunningApp, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "quartet")
    code = await app.code()
    agent = app.agent()
    device = await agent.join(code)
    folder = await app.folder("Photos")
    revision = await app.share(folder["id"], device, "/home/x/photos")
    await agent.state(revision)
    await agent.say(Applied(revision, []))

    async def is_applied() -> bool:
        return bool((await app.shown(device))["appliedRev"] == revision)

    await until(is_applied)
    await agent.leave()

    async def is_offline() -> bool:
        return not (await app.shown(device))["online"]

    await until(is_offline)
    assert_in_order(
        lines(caplog, "sync", logging.INFO),
        f"^device {device} online: applied revision 0$",
        f"^revision {revision} stored: [a-z_]+ by ",
        f"^device {device} applied revision {revision}: no errors$",
        f"^device {device} offline$",
    )
    assert_in_order(
        lines(caplog, "sync", logging.DEBUG),
        f"^device {device}: revision {revision} built with 1 folders$",
        f"^device {device}: sending revision {revision}$",
    )
    assert_no_secrets(caplog, code, PASSWORD)


async def test_log_names_resolved_conflict_and_restored_version(
    app: RunningApp, data: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "quartet")
    folder = await app.folder("Notes")
    id, place = folder["id"], data / "folders" / folder["engineFolderId"]
    (place / ".stversions").mkdir(parents=True)
    (place / "plan.txt").write_text("one")
    (place / f"plan{MARK}.txt").write_text("two")
    (place / f".stversions/plan~{STAMP}.txt").write_text("old")
    await search(app, 1)
    answer = {"copy": f"plan{MARK}.txt", "keep": "copy"}
    await app.post(f"/api/folders/{id}/conflicts/resolve", answer)
    await app.post(f"/api/folders/{id}/versions/restore", {"path": "plan.txt", "at": AT})
    assert_in_order(
        lines(caplog, "sync", logging.INFO),
        f"^folder {id}: conflict found: plan{MARK}.txt$",
        f"^folder {id}: conflict of plan{MARK}.txt resolved: copy$",
        f"^folder {id}: version {AT} of plan.txt restored$",
    )


async def test_log_names_held_and_released_changes(
    app: RunningApp, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "quartet")
    now = await scene(app, left=40)
    now.change("deleted", 60)
    assert await now.held()
    folder = now.folder["id"]
    await now.guard.holds.release("admin", folder, now.device)
    assert_in_order(
        lines(caplog, "sync", logging.INFO),
        f"^folder {folder}: 60 changes of device {now.device} held$",
        f"^folder {folder}: changes of device {now.device} released$",
    )
