"""From the configuration to what each engine shall be; pure functions."""

from collections.abc import Mapping

from quartet.sync.config.pace import Moment, pace_at, this_moment
from quartet.sync.config.types.desired import HubFolder, HubPeer, HubState
from quartet.sync.config.types.devices import Device
from quartet.sync.config.types.folders import Folder
from quartet.sync.config.types.revisions import Config
from quartet.sync.config.types.shares import Share
from quartet.sync.protocol import DesiredFolder, DesiredState, Peer

# The name of the hub that holds every folder; further ones hold what their devices have.
MAIN = ""


def device_state(config: Config, device_id: int, hub: Peer | None, epoch: str) -> DesiredState:
    """Its hub is the only peer; while its engine's id is not known there is none."""
    peers = [hub] if hub else []
    folders = [
        _folder(config, share, [peer.engine_id for peer in peers])
        for share in config.shares_of.get(device_id, [])
    ]
    return DesiredState(config.revision, epoch, peers, folders)


def _folder(config: Config, share: Share, peers: list[str]) -> DesiredFolder:
    folder = config.folders[share.folder_id]
    return DesiredFolder(
        id=folder.engine_folder_id,
        label=folder.label,
        mode=share.mode,
        path=share.path,
        versioning=folder.versioning,
        ignore_patterns=folder.ignore_patterns,
        peers=peers,
        encrypted=folder.encrypted_on_hub,
        repair=share.repair,
    )


def hub_state(
    config: Config,
    now: Moment | None = None,
    *,
    name: str = MAIN,
    hubs: Mapping[str, Peer] | None = None,
) -> HubState:
    """Of the hub with this name; `hubs` are all whose engines are known.

    Blocked devices are neither peers nor members of a folder; of a held share only the peer.
    The main hub is a peer of every further one, and these are no peers of each other.
    """
    now = now or this_moment()
    approved = {id: device for id, device in config.devices.items() if device.approved}
    here = [device for device in approved.values() if device.hub == name]
    others = {
        each: peer for each, peer in (hubs or {}).items() if each != name and MAIN in (each, name)
    }
    members = _members(config, approved, name, others)
    return HubState(
        revision=config.revision,
        peers=[*(_device(each, now) for each in here), *map(_hub, others, others.values())],
        folders=[_hub_folder(config.folders[id], each, name) for id, each in members.items()],
        elsewhere=[device.engine_id for device in approved.values() if device.hub != name],
    )


def _members(
    config: Config, approved: Mapping[int, Device], name: str, others: Mapping[str, Peer]
) -> dict[int, set[str]]:
    """Engine ids by folder. A further hub has the folders of its devices only."""
    found: dict[int, set[str]] = {id: set() for id in config.folders} if name == MAIN else {}
    for share in config.shares:
        device = approved.get(share.device_id)
        if device is None:
            continue
        if device.hub == name:
            engines = found.setdefault(share.folder_id, set())
            if not share.held:
                engines.add(device.engine_id)
        elif name == MAIN and device.hub in others:
            found[share.folder_id].add(others[device.hub].engine_id)
    if name != MAIN and MAIN in others:
        for engines in found.values():
            engines.add(others[MAIN].engine_id)
    return found


def _hub_folder(folder: Folder, engines: set[str], name: str) -> HubFolder:
    return HubFolder(
        id=folder.engine_folder_id,
        label=folder.label,
        # People find them at the main hub, where everything passes.
        versioning=folder.versioning if name == MAIN else None,
        ignore_patterns=folder.ignore_patterns,
        encrypted=folder.encrypted_on_hub,
        devices=sorted(engines),
    )


def _device(device: Device, now: Moment) -> HubPeer:
    pace = pace_at(device.traffic, now)
    # What a device uploads the hub receives.
    return HubPeer(device.engine_id, device.name, pace.paused, pace.download_kib, pace.upload_kib)


def _hub(name: str, peer: Peer) -> HubPeer:
    return HubPeer(peer.engine_id, name or "hub", addresses=tuple(peer.addresses))
