"""Configured folders and devices, and their history."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.service.shares import ShareDrafts
from quartet.sync.config.store import revisions
from quartet.sync.config.types.shares import Draft, ShareChange
from tests.sync.running_app import RunningApp, running_app

pytestmark = pytest.mark.anyio


async def test_folder_is_added_changed_and_removed(app: RunningApp) -> None:
    folder = await app.folder("Photos", ignorePatterns=["*.tmp"], encryptedOnHub=True)
    assert folder["encryptedOnHub"] is True
    expected = {"type": "staggered", "maxAgeDays": 365, "onDevices": False}
    assert folder["versioning"] == expected
    assert abs(folder["createdAt"] - time.time()) < 5
    change = {
        "label": "Pictures",
        "ignorePatterns": ["a\n b ", ""],
        "versioning": {"maxAgeDays": 30},
    }
    answer = await app.admin.patch(f"/api/folders/{folder['id']}", json=change)
    changed = answer.json()
    assert (changed["label"], changed["ignorePatterns"]) == ("Pictures", ["a", "b"])
    assert changed["versioning"]["maxAgeDays"] == 30
    assert changed["engineFolderId"] == folder["engineFolderId"]
    # Encryption is fixed at creation.
    body = {"encryptedOnHub": False}
    answer = await app.admin.patch(f"/api/folders/{folder['id']}", json=body)
    assert answer.json()["encryptedOnHub"] is True
    assert (await app.admin.delete(f"/api/folders/{folder['id']}")).status_code == 204
    assert (await app.overview())["folders"] == []
    for id in (folder["id"], 2**70):
        gone = await app.refused("PATCH", f"/api/folders/{id}", json={})
        assert gone == (404, "folder_not_found")
    assert (await app.folder())["id"] == folder["id"] + 1


BAD_PATTERNS = [
    (["#include secrets.txt"], "pattern_include"),
    (["  #INCLUDE x"], "pattern_include"),
    (["a\0b"], "pattern_invalid"),
    (["[abc"], "pattern_invalid"),
    (["{a,b"], "pattern_invalid"),
    (["x" * 501], "pattern_too_long"),
    (["x"] * 501, "too_many_patterns"),
]


async def test_dangerous_patterns_are_rejected(app: RunningApp) -> None:
    for patterns, code in BAD_PATTERNS:
        body = {"json": {"label": "x", "ignorePatterns": patterns}}
        assert await app.refused("POST", "/api/folders", **body) == (422, code)


async def test_common_patterns_are_accepted(app: RunningApp) -> None:
    patterns = ["!keep", "(?i)(?d)*.TMP", "/top/**/x", "[a-z]?", "{a,b}", "\\[x", "// note"]
    assert (await app.folder(ignorePatterns=patterns))["ignorePatterns"] == patterns


async def test_device_is_renamed(app: RunningApp) -> None:
    device_id, _ = await app.device()
    path = f"/api/devices/{device_id}"
    answer = await app.admin.patch(path, json={"name": " Ada\u202e\n ", "kind": "laptop"})
    assert answer.status_code == 204
    device = await app.shown(device_id)
    assert (device["name"], device["kind"], device["blocked"]) == ("Ada", "laptop", False)
    for body in ({"name": ""}, {"name": "\u202e"}, {"name": "x" * 101}, {"kind": "toaster"}):
        assert await app.refused("PATCH", path, json=body) == (400, "invalid_request")
    gone = await app.refused("PATCH", "/api/devices/77", json={"name": "x"})
    assert gone == (404, "device_not_found")


async def test_every_change_is_in_history(app: RunningApp) -> None:
    await app.device(host_name="laptop")
    await app.folder("Photos")
    await app.share(1, 1, "/p")
    history = await app.get("/api/revisions")
    assert [(each["revision"], each["who"], each["code"]) for each in history] == [
        (3, "admin", "shares_changed"),
        (2, "admin", "folder_added"),
        (1, "laptop", "device_paired"),
    ]
    assert history[1]["inputs"] == {"folder": "Photos"}
    share = {"folder": "Photos", "device": "laptop"}
    assert history[0]["inputs"] == {**share, "count": 1, "before": "off", "after": "both"}
    await app.share(1, 1, "/q")
    await app.folder("Notes")
    other, _ = await app.device()
    rows = [(1, 1, "off", ""), (2, 1, "both", "/n"), (2, other, "send", "/n")]
    changes = [
        {"folderId": folder, "deviceId": device, "mode": mode, "path": path}
        for folder, device, mode, path in rows
    ]
    await app.post("/api/shares", {"changes": changes})
    several, _, _, moved = [each["inputs"] for each in await app.get("/api/revisions", limit=4)]
    assert several == {**share, "count": 3, "before": "both", "after": "off"}
    assert moved == {**share, "count": 1, "before": "both", "after": "both", "path": "/q"}
    assert [each["revision"] for each in await app.get("/api/revisions", before=3, limit=1)] == [2]


def chosen(overview: dict[str, Any]) -> tuple[Any, Any]:
    return overview["folders"], overview["shares"]


async def test_earlier_revision_is_restored_as_new_one(app: RunningApp) -> None:
    device_id, agent = await app.device()
    other_id, _ = await app.device()
    folder = await app.folder("Photos", ignorePatterns=["*.tmp"])
    await app.share(folder["id"], device_id, "/p")
    wanted = await app.share(folder["id"], other_id, "/p", "send")
    before = await app.overview()
    await app.admin.patch(f"/api/devices/{device_id}", json={"name": "new name"})
    await app.admin.delete(f"/api/folders/{folder['id']}")
    await app.folder("Music")
    now = (await app.overview())["revision"]

    preview = await app.get(f"/api/revisions/{wanted}/changes")
    assert {each["label"]: each["change"] for each in preview["folders"]} == {
        "Photos": "added",
        "Music": "removed",
    }
    assert [(each["device"], each["before"], each["after"]) for each in preview["shares"]] == [
        ("new name", None, {"mode": "both", "path": "/p"}),
        ("laptop 2", None, {"mode": "send", "path": "/p"}),
    ]
    answer = await app.post(f"/api/revisions/{wanted}/restore")
    assert answer == {"revision": now + 1}
    assert chosen(await app.overview()) == chosen(before)
    assert (await agent.state(now + 1)).folders[0].path == "/p"
    # Names and blocks of devices are not restored.
    assert (await app.shown(device_id))["name"] == "new name"
    newest = (await app.get("/api/revisions", limit=1))[0]
    assert (newest["code"], newest["inputs"]) == ("config_restored", {"revision": wanted})
    told = (await app.get("/api/events"))[0]
    assert (told["code"], told["inputs"]["revision"]) == ("config_restored", wanted)
    nothing = await app.get(f"/api/revisions/{wanted}/changes")
    assert nothing == {"folders": [], "shares": []}


def part(app: RunningApp, kind: type[Any]) -> Any:
    """Return the service of this class."""
    given = app.started.built.dependencies.values()
    return next(each for each in given if isinstance(each, kind))


async def test_each_change_returns_its_own_revision(app: RunningApp) -> None:
    device_id, _ = await app.device()
    folder = await app.folder()
    base, db = (await app.overview())["revision"], app.started.kernel.db

    def draft(path: str) -> Draft:
        return Draft([ShareChange(folder["id"], device_id, "both", path)])

    changes = [
        part(app, ShareDrafts).apply("admin", draft("/a")),
        part(app, Revisions).restore("admin", base),
        part(app, ShareDrafts).apply("admin", draft("/b")),
    ]
    asked = [asyncio.ensure_future(each) for each in changes]
    await asyncio.sleep(0)
    # Block the event loop, so that all three commits are processed together afterwards.
    while db.write_sync(lambda tx: revisions.revision(tx.conn)) < base + 3:
        time.sleep(0.01)
    assert sorted(await asyncio.gather(*asked)) == [base + 1, base + 2, base + 3]


async def test_restore_does_not_bring_back_removed_device(app: RunningApp) -> None:
    device_id, _ = await app.device()
    folder = await app.folder()
    wanted = await app.share(folder["id"], device_id, "/p")
    await app.admin.delete(f"/api/devices/{device_id}")
    await app.post(f"/api/revisions/{wanted}/restore")
    overview = await app.overview()
    assert (overview["devices"], overview["shares"]) == ([], [])
    for unknown in (0, 99, 2**70):
        gone = await app.refused("POST", f"/api/revisions/{unknown}/restore")
        assert gone == (404, "revision_not_found")


async def test_rejected_change_creates_no_revision(app: RunningApp) -> None:
    await app.folder()
    await app.refused("POST", "/api/shares", json={"changes": [{"folderId": 1}]})
    row = {"folderId": 1, "deviceId": 5, "mode": "both", "path": "/a"}
    await app.refused("POST", "/api/shares", json={"changes": [row]})
    assert (await app.overview())["revision"] == 1


async def test_configuration_survives_restart(data: Path) -> None:
    async with running_app(data) as app:
        device_id, _ = await app.device()
        await app.share((await app.folder())["id"], device_id, "/p")
        before = await app.overview()
    async with running_app(data) as app:
        after = await app.overview()
        assert chosen(after) == chosen(before)
        assert after["revision"] == before["revision"]
        assert after["hub"]["state"] == "stopped"
        assert after["hub"]["error"] == {"code": "hub_off"}
