"""Additional hubs: returning folders, and changes that pass through another hub."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from quartet.kernel.errors import Problem
from quartet.kernel.events import EventHub, backend_from_url
from quartet.kernel.settings import SettingsError
from quartet.sync.cluster.bus import Bus
from quartet.sync.cluster.requests import Requests
from quartet.sync.cluster.state import ClusterState
from quartet.sync.engine import EngineConfig, EnginePeer
from quartet.sync.hub.shared import SharedHub
from quartet.sync.hub.types import Completion, HubChange, HubReport, KnownHub, NoHub
from quartet.sync.live.views import hub_status
from quartet.sync.notices import faults
from quartet.sync.protocol import FolderStatus
from quartet.sync.settings import SyncSettings, prepare
from tests.real_servers import free_port
from tests.sync.engines import arrives, config, engine, eventually, folder
from tests.sync.running_app import RunningApp, until
from tests.sync.test_hub import hub_folder, running, wanted
from tests.sync.test_states import CONFIG

pytestmark = pytest.mark.anyio


async def test_stale_copy_of_returning_folder_is_moved_away(tmp_path: Path) -> None:
    notes = tmp_path / "folders" / "notes"
    async with running(tmp_path, listen="127.0.0.1:0", additional=True) as hub:
        for revision, folders in enumerate(([hub_folder("notes")], [], [hub_folder("notes")]), 1):
            await hub.reconcile(wanted(revision, [], *folders))
            await eventually(lambda revision=revision: hub.state().applied_revision == revision)
            if revision == 1:
                (notes / "deleted elsewhere.txt").write_text("old")
        assert not (notes / "deleted elsewhere.txt").exists()
        assert (tmp_path / "left/notes/deleted elsewhere.txt").read_text() == "old"


async def test_main_hub_knows_origin_of_change_through_other_hub(tmp_path: Path) -> None:
    port, changes = free_port(), list[HubChange]()
    async with (
        running(tmp_path, changes, listen=f"127.0.0.1:{port}") as hub,
        engine(tmp_path / "additional", port=free_port()) as additional,
        engine(tmp_path / "device") as device,
    ):
        state = wanted(1, [additional], hub_folder("notes", additional))
        await hub.reconcile(replace(state, elsewhere=[device.id]))
        await eventually(lambda: hub.state().applied_revision == 1)
        main: Any = hub.engine
        peers = [EnginePeer(main.id, "hub", (f"tcp://127.0.0.1:{port}",)), EnginePeer(device.id)]
        shared = folder("notes", tmp_path / "copy", main, device)
        await additional.apply(EngineConfig(peers, [shared]))
        await device.apply(config(additional, folder("notes", tmp_path / "there", additional)))
        (tmp_path / "there" / "a.txt").write_text("hello")
        await device.rest.scan("notes")
        await arrives(tmp_path / "folders/notes/a.txt", "hello")
        [told] = await eventually(lambda: [each for each in changes if each.path == "a.txt"])
        assert told.device == device.id


def test_completion_combines_all_hubs() -> None:
    def report(device: str, percent: float) -> HubReport:
        completion = {"folder-1": {device: Completion(percent, 0, 0, known=True)}}
        return HubReport(
            "running", folders={"folder-1": FolderStatus("idle")}, completion=completion
        )

    main, additional = report("ENGINE1", 100), report("ENGINE3", 50)
    found = hub_status(CONFIG, [main, additional], ["folder-1"]).folders[1].completion
    assert {device: each.percent for device, each in found.items()} == {1: 100, 3: 50}


async def test_single_server_has_only_main_hub(app: RunningApp) -> None:
    device, _ = await app.device()
    [main] = await app.get("/api/hubs")
    assert (main["name"], main["devices"]) == ("", 1)
    answer = await app.admin.patch(f"/api/devices/{device}", json={"hub": "berlin"})
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_hub")
    assert (await app.shown(device))["hub"] == ""


async def test_errors_of_additional_hub_carry_its_name(
    app: RunningApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(faults.LASTING_SECONDS, "folder_stopped", 0)

    class BrokenHub(NoHub):
        def state(self) -> HubReport:
            broken = {folder["engineFolderId"]: FolderStatus("error")}
            return HubReport("retrying", "BERLIN", error=Problem("engine_exited"), folders=broken)

    folder = await app.folder("Notes")
    bus = Bus(EventHub(backend_from_url(None, "test")))
    known = KnownHub("berlin", "BERLIN", "berlin.example.org:22001")
    broken_hub = SharedHub(
        BrokenHub(), ClusterState(bus, single_server=False), Requests(bus), "", known
    )
    broken_hub.take_ownership()
    given: Any = app.started.built.dependencies
    given["hubs"].by_name["berlin"] = broken_hub

    async def told() -> list[Any]:
        events = await app.get("/api/events")
        return [(each["code"], each["inputs"]) for each in events if each["kind"] == "error"]

    await until(told)
    where = {"hub": "berlin"}
    assert sorted(await told(), key=str) == [
        ("further_hub_error", {**where, "reason": "engine_exited", "details": {}}),
        (
            "further_hub_folder_error",
            {**where, "reason": "folder_stopped", "details": {}, "folder": "Notes"},
        ),
    ]


def test_additional_hub_needs_database_and_address() -> None:
    with pytest.raises(SettingsError, match="DATABASE_URL"):
        prepare(SyncSettings(hub_name="berlin", hub_address="berlin.example.org:22001"))
    with pytest.raises(SettingsError, match="SYNC_HUB_ADDRESS"):
        prepare(SyncSettings(hub_name="berlin", database_url="postgresql://db.example.org/sync"))


@pytest.mark.parametrize("address", ["nonsense", "example.org:", "::1", "a:70000", "a:x"])
def test_unusable_hub_address_is_rejected_by_name(address: str) -> None:
    for name in ("hub_listen", "hub_address"):
        with pytest.raises(SettingsError, match=f"SYNC_{name.upper()}: expected"):
            prepare(replace(SyncSettings(), **{name: address}))
    for usable in (":22001", "0.0.0.0:22001", "[::]:22001"):
        assert prepare(SyncSettings(hub_listen=usable)).hub_listen == usable
