"""Folders and peers of each of several hubs."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from quartet.sync.config.desired import MAIN, device_state, hub_state
from quartet.sync.config.types.desired import HubPeer, HubState
from quartet.sync.config.types.revisions import Config
from quartet.sync.config.types.shares import Share
from quartet.sync.protocol import Peer
from tests.sync.test_states import device, folder

NAMES = (MAIN, "berlin", "lima")
HUBS = {
    MAIN: Peer("HUB", ["tcp://main.example.org:22001"]),
    "berlin": Peer("BERLIN", ["tcp://berlin.example.org:22001"]),
    "lima": Peer("LIMA", ["tcp://lima.example.org:22001"]),
}
IDS = st.integers(1, 5)

CONFIG = Config(
    7,
    {1: device(1), 2: replace(device(2), hub="berlin"), 3: replace(device(3), hub="berlin")},
    {1: folder(1), 2: folder(2, encrypted=True), 3: folder(3)},
    (
        Share(1, 1, "both", "/a"),
        Share(1, 2, "both", "/b"),
        Share(2, 3, "both", "/c"),
        Share(3, 1, "both", "/d"),
    ),
)


def state(config: Config, name: str) -> HubState:
    return hub_state(config, name=name, hubs=HUBS)


def members(found: HubState) -> dict[str, list[str]]:
    return {each.id: each.devices for each in found.folders}


def test_main_hub_has_every_folder_and_additional_hubs_as_peers() -> None:
    main = state(CONFIG, MAIN)
    assert members(main) == {
        "folder-1": ["BERLIN", "ENGINE1"],
        "folder-2": ["BERLIN"],
        "folder-3": ["ENGINE1"],
    }
    assert main.peers == [
        HubPeer("ENGINE1", "device 1"),
        HubPeer("BERLIN", "berlin", addresses=("tcp://berlin.example.org:22001",)),
        HubPeer("LIMA", "lima", addresses=("tcp://lima.example.org:22001",)),
    ]
    # Needed to attribute changes that pass through another hub.
    assert main.elsewhere == ["ENGINE2", "ENGINE3"]


def test_additional_hub_has_folders_of_its_devices() -> None:
    berlin = state(CONFIG, "berlin")
    assert members(berlin) == {"folder-1": ["ENGINE2", "HUB"], "folder-2": ["ENGINE3", "HUB"]}
    assert [each.encrypted for each in berlin.folders] == [False, True]
    # Versions are kept only at the main hub.
    assert not any(each.versioning for each in berlin.folders)
    assert all(each.versioning for each in state(CONFIG, MAIN).folders)
    assert [each.engine_id for each in berlin.peers] == ["ENGINE2", "ENGINE3", "HUB"]
    assert state(CONFIG, "lima").folders == []


def test_hub_keeps_folder_of_held_share() -> None:
    held = replace(CONFIG.shares[1], held=True)
    config = Config(8, CONFIG.devices, CONFIG.folders, (held,))
    assert members(state(config, "berlin")) == {"folder-1": ["HUB"]}
    assert members(state(config, MAIN))["folder-1"] == ["BERLIN"]


def test_unknown_hub_is_no_peer() -> None:
    alone = hub_state(CONFIG, name=MAIN, hubs={MAIN: HUBS[MAIN]})
    assert [each.engine_id for each in alone.peers] == ["ENGINE1"]
    assert members(alone)["folder-1"] == ["ENGINE1"]
    unled = hub_state(CONFIG, name="berlin", hubs={"berlin": HUBS["berlin"]})
    assert members(unled) == {"folder-1": ["ENGINE2"], "folder-2": ["ENGINE3"]}


@given(
    st.dictionaries(IDS, st.tuples(st.booleans(), st.sampled_from(NAMES))),
    st.sets(IDS),
    st.sets(st.tuples(IDS, IDS)),
)
def test_exactly_sharing_devices_are_connected(
    devices: dict[int, tuple[bool, str]], folders: set[int], pairs: set[tuple[int, int]]
) -> None:
    config = Config(
        1,
        {
            id: replace(device(id, approved=approved), hub=hub)
            for id, (approved, hub) in devices.items()
        },
        {id: folder(id) for id in folders},
        tuple(Share(f, d, "both", f"/{f}") for f, d in pairs if f in folders and d in devices),
    )
    lines = set(connections(config))
    for id in folders:
        ident = config.folders[id].engine_folder_id
        sharing = {
            config.devices[share.device_id].engine_id
            for share in config.shares
            if share.folder_id == id and config.devices[share.device_id].approved
        }
        assert reached(ident, lines) - {peer.engine_id for peer in HUBS.values()} == sharing
    for name in NAMES[1:]:
        mine = {id for id, (approved, hub) in devices.items() if approved and hub == name}
        needed = {
            config.folders[share.folder_id].engine_folder_id
            for share in config.shares
            if share.device_id in mine
        }
        assert members(state(config, name)).keys() == needed


def connections(config: Config) -> Iterator[tuple[str, str, str]]:
    """Yield connections on which both ends agree, as engines require."""
    offers = set()
    for name in NAMES:
        found = state(config, name)
        peers = {each.engine_id for each in found.peers}
        for each in found.folders:
            assert peers.issuperset(each.devices)
            offers |= {(each.id, HUBS[name].engine_id, other) for other in each.devices}
    for id, one in config.devices.items():
        if one.approved:
            for shared in device_state(config, id, HUBS[one.hub], "e").folders:
                offers |= {(shared.id, one.engine_id, other) for other in shared.peers}
    for ident, here, there in offers:
        assert (ident, there, here) in offers, "both ends must know each other"
        yield ident, here, there


def reached(ident: str, lines: set[tuple[str, str, str]]) -> set[str]:
    """Return the engines reachable from the main hub, which always has the folder."""
    found, new = set[str](), {"HUB"}
    while new:
        found |= new
        new = {there for folder, here, there in lines if folder == ident and here in new} - found
    return found
