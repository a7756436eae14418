"""Folders and devices as configured, and the history of it."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.service.shares import ShareDrafts
from quartet.sync.config.store import revisions
from quartet.sync.config.types.shares import Draft, ShareChange
from tests.sync.desk import Desk, desk_at

pytestmark = pytest.mark.anyio


async def test_a_folder_from_its_making_to_its_end(desk: Desk) -> None:
    folder = await desk.folder("Photos", ignorePatterns=["*.tmp"], encryptedOnHub=True)
    assert folder["encryptedOnHub"] is True
    assert folder["versioning"] == {"type": "staggered", "maxAgeDays": 365}
    assert abs(folder["createdAt"] - time.time()) < 5
    change = {
        "label": "Pictures",
        "ignorePatterns": ["a\n b ", ""],
        "versioning": {"maxAgeDays": 30},
    }
    answer = await desk.admin.patch(f"/api/folders/{folder['id']}", json=change)
    changed = answer.json()
    assert (changed["label"], changed["ignorePatterns"]) == ("Pictures", ["a", "b"])
    assert changed["versioning"]["maxAgeDays"] == 30
    assert changed["engineFolderId"] == folder["engineFolderId"]
    # What was chosen at its making stays.
    body = {"encryptedOnHub": False}
    answer = await desk.admin.patch(f"/api/folders/{folder['id']}", json=body)
    assert answer.json()["encryptedOnHub"] is True
    assert (await desk.admin.delete(f"/api/folders/{folder['id']}")).status_code == 204
    assert (await desk.overview())["folders"] == []
    for id in (folder["id"], 2**70):
        gone = await desk.refused("PATCH", f"/api/folders/{id}", json={})
        assert gone == (404, "folder_not_found")
    assert (await desk.folder())["id"] == folder["id"] + 1


BAD_PATTERNS = [
    (["#include secrets.txt"], "pattern_include"),
    (["  #INCLUDE x"], "pattern_include"),
    (["a\0b"], "pattern_invalid"),
    (["[abc"], "pattern_invalid"),
    (["{a,b"], "pattern_invalid"),
    (["x" * 501], "pattern_too_long"),
    (["x"] * 501, "too_many_patterns"),
]


async def test_patterns_that_would_do_harm_are_refused(desk: Desk) -> None:
    for patterns, code in BAD_PATTERNS:
        body = {"json": {"label": "x", "ignorePatterns": patterns}}
        assert await desk.refused("POST", "/api/folders", **body) == (422, code)


async def test_patterns_people_use_are_taken(desk: Desk) -> None:
    patterns = ["!keep", "(?i)(?d)*.TMP", "/top/**/x", "[a-z]?", "{a,b}", "\\[x", "// note"]
    assert (await desk.folder(ignorePatterns=patterns))["ignorePatterns"] == patterns


async def test_a_device_is_renamed(desk: Desk) -> None:
    device_id, _ = await desk.device()
    path = f"/api/devices/{device_id}"
    answer = await desk.admin.patch(path, json={"name": " Ada\u202e\n ", "kind": "laptop"})
    assert answer.status_code == 204
    device = await desk.shown(device_id)
    assert (device["name"], device["kind"], device["blocked"]) == ("Ada", "laptop", False)
    for body in ({"name": ""}, {"name": "\u202e"}, {"name": "x" * 101}, {"kind": "toaster"}):
        assert await desk.refused("PATCH", path, json=body) == (400, "invalid_request")
    gone = await desk.refused("PATCH", "/api/devices/77", json={"name": "x"})
    assert gone == (404, "device_not_found")


async def test_every_change_is_in_the_history(desk: Desk) -> None:
    await desk.device(host_name="laptop")
    await desk.folder("Photos")
    await desk.share(1, 1, "/p")
    history = await desk.get("/api/revisions")
    assert [(each["revision"], each["who"], each["code"]) for each in history] == [
        (3, "admin", "shares_changed"),
        (2, "admin", "folder_added"),
        (1, "laptop", "device_paired"),
    ]
    assert history[1]["inputs"] == {"folder": "Photos"}
    assert [each["revision"] for each in await desk.get("/api/revisions", before=3, limit=1)] == [2]


def chosen(overview: dict[str, Any]) -> tuple[Any, Any]:
    return overview["folders"], overview["shares"]


async def test_an_earlier_revision_comes_back_as_a_new_one(desk: Desk) -> None:
    device_id, agent = await desk.device()
    other_id, _ = await desk.device()
    folder = await desk.folder("Photos", ignorePatterns=["*.tmp"])
    await desk.share(folder["id"], device_id, "/p")
    wanted = await desk.share(folder["id"], other_id, "/p", "send")
    before = await desk.overview()
    await desk.admin.patch(f"/api/devices/{device_id}", json={"name": "new name"})
    await desk.admin.delete(f"/api/folders/{folder['id']}")
    await desk.folder("Music")
    now = (await desk.overview())["revision"]

    answer = await desk.post(f"/api/revisions/{wanted}/restore")
    assert answer == {"revision": now + 1}
    assert chosen(await desk.overview()) == chosen(before)
    assert (await agent.state(now + 1)).folders[0].path == "/p"
    # What a device is called, and whether it may come in, is not undone.
    assert (await desk.shown(device_id))["name"] == "new name"
    newest = (await desk.get("/api/revisions", limit=1))[0]
    assert (newest["code"], newest["inputs"]) == ("config_restored", {"revision": wanted})
    told = (await desk.get("/api/events"))[0]
    assert (told["code"], told["inputs"]["revision"]) == ("config_restored", wanted)


def part(desk: Desk, kind: type[Any]) -> Any:
    """What the service hands to its handlers, by its class."""
    given = desk.started.built.dependencies.values()
    return next(each for each in given if isinstance(each, kind))


async def test_each_change_is_answered_with_its_own_revision(desk: Desk) -> None:
    device_id, _ = await desk.device()
    folder = await desk.folder()
    base, db = (await desk.overview())["revision"], desk.started.kernel.db

    def draft(path: str) -> Draft:
        return Draft([ShareChange(folder["id"], device_id, "both", path)])

    changes = [
        part(desk, ShareDrafts).apply("admin", draft("/a")),
        part(desk, Revisions).restore("admin", base),
        part(desk, ShareDrafts).apply("admin", draft("/b")),
    ]
    asked = [asyncio.ensure_future(each) for each in changes]
    await asyncio.sleep(0)
    # Nothing else runs meanwhile, so that all three are heard of together.
    while db.write_sync(lambda tx: revisions.revision(tx.conn)) < base + 3:
        time.sleep(0.01)
    assert sorted(await asyncio.gather(*asked)) == [base + 1, base + 2, base + 3]


async def test_a_device_that_was_removed_does_not_come_back(desk: Desk) -> None:
    device_id, _ = await desk.device()
    folder = await desk.folder()
    wanted = await desk.share(folder["id"], device_id, "/p")
    await desk.admin.delete(f"/api/devices/{device_id}")
    await desk.post(f"/api/revisions/{wanted}/restore")
    overview = await desk.overview()
    assert (overview["devices"], overview["shares"]) == ([], [])
    for unknown in (0, 99, 2**70):
        gone = await desk.refused("POST", f"/api/revisions/{unknown}/restore")
        assert gone == (404, "revision_not_found")


async def test_a_refused_change_is_no_revision(desk: Desk) -> None:
    await desk.folder()
    await desk.refused("POST", "/api/shares", json={"changes": [{"folderId": 1}]})
    row = {"folderId": 1, "deviceId": 5, "mode": "both", "path": "/a"}
    await desk.refused("POST", "/api/shares", json={"changes": [row]})
    assert (await desk.overview())["revision"] == 1


async def test_all_of_it_survives_a_restart(data: Path) -> None:
    async with desk_at(data) as desk:
        device_id, _ = await desk.device()
        await desk.share((await desk.folder())["id"], device_id, "/p")
        before = await desk.overview()
    async with desk_at(data) as desk:
        after = await desk.overview()
        assert chosen(after) == chosen(before)
        assert after["revision"] == before["revision"]
        assert after["hub"]["state"] == "stopped"
        assert after["hub"]["error"] == {"code": "engine_missing"}
