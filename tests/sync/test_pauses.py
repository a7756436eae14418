"""Folders that are paused on single devices."""

from pathlib import Path

import pytest

from quartet.sync.agent.desired import engine_config
from quartet.sync.agent.paths import PathPolicy
from quartet.sync.config.desired import hub_state
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.store import shares
from quartet.sync.config.types.devices import Device
from quartet.sync.config.types.folders import Folder
from quartet.sync.config.types.revisions import ChangeSummary, Config
from quartet.sync.config.types.shares import Share
from quartet.sync.protocol import Versioning
from tests.sync.running_app import RunningApp


@pytest.mark.anyio
async def test_pause_is_part_of_desired_state(app: RunningApp, tmp_path: Path) -> None:
    device, agent = await app.device()
    notes, music = await app.folder("Notes"), await app.folder("Music")
    await app.share(notes["id"], device, f"{tmp_path}/notes")
    await app.share(music["id"], device, f"{tmp_path}/music")
    both = [{"folderId": each["id"], "deviceId": device} for each in (notes, music)]
    revision = (await app.post("/api/shares/pause", {"shares": both[:1]}))["revision"]
    state = await agent.state(revision)
    assert [each.paused for each in state.folders] == [True, False]
    policy = PathPolicy([tmp_path], tmp_path.parent, tmp_path / "own")
    config, _ = engine_config(state, policy, {})
    assert [each.paused for each in config.folders] == [True, False]
    # What is paused already makes no revision.
    again = await app.post("/api/shares/pause", {"shares": both[:1]})
    assert again["revision"] == revision
    await app.post("/api/shares/pause", {"shares": both})
    resumed = (await app.post("/api/shares/resume", {"shares": both}))["revision"]
    assert not any(each.paused for each in (await agent.state(resumed)).folders)
    told = [(each["code"], each["inputs"]) for each in (await app.get("/api/revisions"))[:3]]
    inputs = {"folder": "Notes", "device": "laptop", "count": 1}
    assert told == [
        ("shares_resumed", inputs | {"count": 2}),
        ("shares_paused", inputs | {"folder": "Music"}),
        ("shares_paused", inputs),
    ]
    unknown = {"shares": [{"folderId": 99, "deviceId": device}]}
    assert await app.refused("POST", "/api/shares/pause", json=unknown) == (404, "folder_not_found")


@pytest.mark.anyio
async def test_pause_survives_other_changes(app: RunningApp, tmp_path: Path) -> None:
    device, agent = await app.device()
    notes = (await app.folder("Notes"))["id"]
    first = await app.share(notes, device, "/home/x/notes")
    one = {"shares": [{"folderId": notes, "deviceId": device}]}
    await app.post("/api/shares/pause", one)
    moved = await app.share(notes, device, "/home/x/moved", "receive")
    assert (await agent.state(moved)).folders[0].paused
    file = await app.get("/api/config/export")
    imported = (await app.post("/api/config/import", file))["revision"]
    assert (await agent.state(imported)).folders[0].paused
    answer = await app.post(f"/api/revisions/{first}/restore")
    restored = (await agent.state(answer["revision"])).folders[0]
    assert (restored.path, restored.paused) == ("/home/x/notes", True)
    # The delete guard cannot undo changes on a device that does not take part.
    revisions = Revisions(app.started.kernel.db, tmp_path)
    what = ChangeSummary("share_held", {"folder": "Notes", "device": "laptop"})
    await revisions.change("guard", what, lambda tx, _: shares.hold(tx.conn, notes, device, True))
    await app.share(notes, device, "/home/x/held")
    undo = f"/api/folders/{notes}/devices/{device}/undo"
    assert await app.refused("POST", undo) == (409, "share_paused")
    # A share that is removed and added again is a new one.
    await app.share(notes, device, "", "off")
    added = await app.share(notes, device, "/home/x/notes")
    assert not (await agent.state(added)).folders[0].paused


def test_hub_stops_paused_folders_of_devices_without_an_agent() -> None:
    def device(number: int, *, agentless: bool) -> Device:
        return Device(
            number, f"{number}", "other", "other", b"", f"E{number}", True, 0, agentless=agentless
        )

    config = Config(
        1,
        {1: device(1, agentless=False), 2: device(2, agentless=True)},
        {5: Folder(5, "Notes", "notes", [], Versioning(), False, 0)},
        tuple(Share(5, each, "both", "", paused=True) for each in (1, 2)),
    )
    assert hub_state(config).folders[0].devices == ["E1"]
