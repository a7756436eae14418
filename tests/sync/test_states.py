"""Desired states derived from the configuration."""

from dataclasses import replace

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from quartet.kernel.events import EventHub, backend_from_url
from quartet.sync.cluster.bus import Bus
from quartet.sync.cluster.requests import Requests
from quartet.sync.cluster.state import ClusterState
from quartet.sync.config.desired import MAIN, device_state, hub_state, need_not_wait
from quartet.sync.config.types.desired import HubPeer
from quartet.sync.config.types.devices import Device
from quartet.sync.config.types.folders import Folder
from quartet.sync.config.types.revisions import Config
from quartet.sync.config.types.shares import Share
from quartet.sync.hub.location import HubLocator, hub_listen
from quartet.sync.hub.shared import SharedHub
from quartet.sync.hub.types import HubReport, NoHub
from quartet.sync.protocol import Peer, Versioning
from quartet.sync.settings import SyncSettings

HUB = Peer("HUB", ["tcp://sync.example.org:22001"])


def device(id: int, *, approved: bool = True) -> Device:
    return Device(id, f"device {id}", "other", "linux", bytes([id]), f"ENGINE{id}", approved, 0)


def folder(id: int, *, encrypted: bool = False) -> Folder:
    return Folder(id, f"folder {id}", f"folder-{id}", ["*.tmp"], Versioning(), encrypted, 0)


CONFIG = Config(
    7,
    {1: device(1), 2: device(2, approved=False), 3: device(3)},
    {1: folder(1), 2: folder(2, encrypted=True)},
    (Share(1, 1, "both", "/a"), Share(1, 2, "send", "/b"), Share(2, 3, "receive", "/c")),
)


def test_device_has_hub_as_only_peer() -> None:
    state = device_state(CONFIG, 1, HUB, "epoch")
    assert (state.revision, state.epoch, state.peers) == (7, "epoch", [HUB])
    [shared] = state.folders
    assert (shared.id, shared.mode, shared.path) == ("folder-1", "both", "/a")
    assert (shared.peers, shared.encrypted) == (["HUB"], False)
    assert device_state(CONFIG, 3, HUB, "epoch").folders[0].encrypted


def test_device_has_no_peer_before_hub_id_is_known() -> None:
    state = device_state(CONFIG, 1, None, "epoch")
    assert (state.peers, state.folders[0].peers) == ([], [])


def test_device_keeps_versions_while_its_files_may_be_replaced() -> None:
    for share in (
        Share(1, 1, "both", "/a", held=True),
        Share(1, 1, "receive", "/a", repair=5),
        Share(1, 1, "both", "/a"),
    ):
        config = Config(7, {1: device(1)}, {1: folder(1)}, (share,))
        [shared] = device_state(config, 1, HUB, "epoch").folders
        assert (shared.versioning is not None) == (share.held or share.repair > 0)
    assert all(each.versioning for each in hub_state(config).folders)


def test_device_waits_for_a_hub_that_does_not_know_it_or_its_encrypted_folder() -> None:
    assert need_not_wait(CONFIG, CONFIG, 1)
    # Encrypted, blocked before, new, and moved to another hub.
    assert not need_not_wait(CONFIG, CONFIG, 3)
    assert not need_not_wait(replace(CONFIG, devices={2: device(2)}), CONFIG, 2)
    assert not need_not_wait(CONFIG, Config(0), 1)
    moved = {1: msgspec.structs.replace(device(1), hub="attic")}
    assert not need_not_wait(replace(CONFIG, devices=moved), CONFIG, 1)
    # Removed a moment ago.
    assert not need_not_wait(Config(8), CONFIG, 1)


def test_hub_has_every_folder_and_no_blocked_device() -> None:
    state = hub_state(CONFIG)
    assert state.peers == [HubPeer("ENGINE1", "device 1"), HubPeer("ENGINE3", "device 3")]
    assert [(each.id, each.devices, each.encrypted) for each in state.folders] == [
        ("folder-1", ["ENGINE1"], False),
        ("folder-2", ["ENGINE3"], True),
    ]


IDS = st.integers(1, 5)


@given(
    st.dictionaries(IDS, st.booleans()),
    st.sets(IDS),
    st.sets(st.tuples(IDS, IDS)),
)
def test_hub_and_devices_agree(
    devices: dict[int, bool], folders: set[int], pairs: set[tuple[int, int]]
) -> None:
    config = Config(
        1,
        {id: device(id, approved=approved) for id, approved in devices.items()},
        {id: folder(id) for id in folders},
        tuple(Share(f, d, "both", f"/{f}") for f, d in pairs if f in folders and d in devices),
    )
    hub = {(each.id, engine) for each in hub_state(config).folders for engine in each.devices}
    there = {
        (shared.id, config.devices[id].engine_id)
        for id, approved in devices.items()
        if approved
        for shared in device_state(config, id, HUB, "e").folders
    }
    assert hub == there


def place_of(settings: SyncSettings, hub: NoHub) -> HubLocator:
    bus = Bus(EventHub(backend_from_url(None, "test")))
    cluster_state = ClusterState(bus, single_server=True)
    shared = SharedHub(hub, cluster_state, Requests(bus), settings.hub_address or "")
    return HubLocator(settings, {MAIN: shared})


def test_hub_listen_address() -> None:
    assert hub_listen(SyncSettings()) == "127.0.0.1:22001"
    assert hub_listen(SyncSettings(host="::1")) == "[::1]:22001"
    assert hub_listen(SyncSettings(hub_listen="0.0.0.0:4000")) == "0.0.0.0:4000"
    place = place_of(SyncSettings(), NoHub())
    place.refresh()
    assert place.peer("sync.example.org", MAIN) is None


def test_devices_reach_hub_at_server_host() -> None:
    class Running(NoHub):
        def state(self) -> HubReport:
            return HubReport("running", engine_id="HUB")

    for settings, expected in (
        (SyncSettings(hub_listen="0.0.0.0:4000"), "tcp://10.0.0.5:4000"),
        (SyncSettings(hub_address="hub.example.org:5"), "tcp://hub.example.org:5"),
    ):
        place = place_of(settings, Running())
        place.refresh()
        assert place.peer("10.0.0.5", MAIN) == Peer("HUB", [expected])
