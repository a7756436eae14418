"""The activity feed records each kind of event once."""

from typing import Any

import pytest
from sqlalchemy.exc import DBAPIError

from quartet.sync.activity import file_changes, service
from quartet.sync.activity.file_changes import FileChangeCounter
from quartet.sync.hub.types import HubChange
from quartet.sync.notices import faults
from quartet.sync.notices.faults import FaultWatch
from quartet.sync.protocol import Applied, FolderError, FolderStatus, Status
from tests.sync.running_app import RunningApp, until, without_table

pytestmark = pytest.mark.anyio


async def told(app: RunningApp, kind: str) -> list[tuple[str, dict[str, Any]]]:
    events = await app.get("/api/events")
    return [(each["code"], each["inputs"]) for each in events if each["kind"] == kind]


async def test_configuration_change_is_recorded_with_user_and_revision(app: RunningApp) -> None:
    device, _ = await app.device()
    folder = await app.folder("Notes")
    await app.share(folder["id"], device, "/home/x/notes")
    await app.admin.patch(f"/api/devices/{device}", json={"blocked": True})
    codes = await told(app, "config")
    assert [code for code, _ in codes] == ["device_blocked", "shares_changed", "folder_added"]
    assert codes[0][1] == {"device": "laptop", "who": "admin", "revision": 4}
    assert [code for code, _ in await told(app, "paired")] == ["paired"]


async def test_errors_are_recorded_when_they_appear(
    app: RunningApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(faults.LASTING_SECONDS, "folder_stopped", 0)
    device, agent = await app.device()
    folder, music = await app.folder("Notes"), await app.folder("Music")
    await app.share(music["id"], device, "/home/x/music")
    revision = await app.share(folder["id"], device, "/home/x/notes")
    await agent.state(revision)
    ident = folder["engineFolderId"]
    wrong = FolderError(ident, "not_writable", {"device_id": 1, "path": "/home/x/notes"})
    await agent.say(Applied(revision, [wrong]))
    await until(lambda: told(app, "error"))
    # The folder whose error is known has no second one.
    stopped = FolderStatus("error")
    await agent.say(Status({ident: stopped, music["engineFolderId"]: stopped}))

    async def both() -> bool:
        return len(await told(app, "error")) == 2

    await until(both)
    found = await told(app, "error")
    where = {"folder": "Notes", "device": "laptop"}
    assert [code for code, _ in found] == ["device_folder_error"] * 2
    assert [inputs for _, inputs in found] == [
        {"reason": "folder_stopped", "details": {}, **where, "folder": "Music"},
        {"reason": "not_writable", "details": wrong.inputs, **where},
    ]


async def test_files_that_fail_for_long_are_an_error(
    app: RunningApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    device, agent = await app.device()
    folder = await app.folder("Notes")
    await agent.state(await app.share(folder["id"], device, "/home/x/notes"))
    await agent.say(Status({folder["engineFolderId"]: FolderStatus("idle", errors=2)}))

    async def failing() -> bool:
        found = (await app.get("/api/status"))["devices"][str(device)]["folders"]
        return bool(found)

    await until(failing)
    given: Any = app.started.built.dependencies
    reports = given["agents"]._reports
    watch = FaultWatch(given["activity"], given["revisions"], reports, given["hubs"])
    await watch.check()
    assert await told(app, "error") == []
    monkeypatch.setitem(faults.LASTING_SECONDS, "files_failed", 0)
    await watch.check()
    # It is the same problem if it returns soon.
    monkeypatch.setattr(watch, "_of_devices", lambda _config: iter(()))
    await watch.check()
    monkeypatch.undo()
    monkeypatch.setitem(faults.LASTING_SECONDS, "files_failed", 0)
    await watch.check()
    [(_, inputs)] = await told(app, "error")
    assert (inputs["reason"], inputs["details"]) == ("files_failed", {"count": 2})


async def test_thousand_file_changes_become_one_event(
    app: RunningApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_changes, "MOST_KNOWN", 900)
    device, agent = await app.device()
    folder = await app.folder("Notes")
    given: Any = app.started.built.dependencies
    changes = FileChangeCounter(given["activity"], given["revisions"])
    ident = folder["engineFolderId"]
    for _ in range(3):
        changes.add(HubChange(ident, agent.engine_id, "modified", f"{each}") for each in range(900))
    changes.add(
        HubChange(ident, agent.engine_id, "modified", f"{each}") for each in range(900, 1000)
    )
    changes.add([HubChange(ident, None, "modified", "a"), HubChange("x", "y", "modified", "a")])
    # Another device that makes a copy of a conflict has not changed a file.
    copy = "a.sync-conflict-20261119-205534-7MUJCY3.txt"
    changes.add([HubChange(ident, agent.engine_id, "deleted", "old.txt")])
    changes.add([HubChange(ident, agent.engine_id, "modified", copy)])
    await changes.record_counts()
    first = [f"{number}" for number in range(20)]
    inputs = {"device": "laptop", "folder": "Notes", "count": 1000, "files": first}
    deleted = {**inputs, "count": 1, "files": ["old.txt"]}
    expected = [("files_deleted", deleted), ("files_changed", inputs)]
    assert await told(app, "changed") == expected
    await changes.record_counts()
    assert await told(app, "changed") == expected
    events = [each for each in await app.get("/api/events") if each["kind"] == "changed"]
    assert (events[0]["deviceId"], events[0]["folderId"]) == (device, folder["id"])


async def test_names_of_encrypted_files_are_not_listed(app: RunningApp) -> None:
    _, agent = await app.device()
    folder = await app.folder("Diary", encryptedOnHub=True)
    given: Any = app.started.built.dependencies
    changes = FileChangeCounter(given["activity"], given["revisions"])
    name = "0.syncthing-enc/PM/0TAO"
    changes.add([HubChange(folder["engineFolderId"], agent.engine_id, "modified", name)])
    await changes.record_counts()
    [(_, inputs)] = await told(app, "changed")
    assert (inputs["count"], inputs["files"]) == (1, [])


async def test_events_are_kept_when_writing_fails(app: RunningApp) -> None:
    activity: Any = app.started.built.dependencies["activity"]
    await activity.flush()
    with without_table(app, "events"):
        activity.record("config", "folder_added", number=1)
        with pytest.raises(DBAPIError):
            await activity.flush()
        activity.record("config", "folder_added", number=2)
    assert [inputs["number"] for _, inputs in await told(app, "config")] == [2, 1]


async def test_events_table_is_limited(app: RunningApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "KEPT", 50)
    given: Any = app.started.built.dependencies
    for number in range(300):
        given["activity"].record("config", "folder_added", number=number)
        if number % 100 == 0:
            await given["activity"].flush()
    events = await app.get("/api/events", limit=500)
    assert [each["inputs"]["number"] for each in events] == list(range(299, 249, -1))
