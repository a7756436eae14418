"""Derives the desired state of each engine from the configuration; pure functions."""

from collections.abc import Mapping

from quartet.sync.config.pace import WeekMoment, current_moment, pace_at
from quartet.sync.config.types.desired import HubFolder, HubPeer, HubState
from quartet.sync.config.types.devices import Device
from quartet.sync.config.types.folders import Folder
from quartet.sync.config.types.revisions import Config
from quartet.sync.config.types.shares import Share
from quartet.sync.protocol import DesiredFolder, DesiredState, Peer

# Name of the main hub, which holds every folder. An additional hub holds only the folders of its
# devices.
MAIN = ""


def device_state(config: Config, device_id: int, hub: Peer | None, epoch: str) -> DesiredState:
    """Return the desired state of a device; its only peer is its hub, if that one's id is known."""
    peers = [hub] if hub else []
    folders = [
        _folder(config, share, [peer.engine_id for peer in peers])
        for share in config.shares_of.get(device_id, [])
        if share.mode != "encrypted"
    ]
    return DesiredState(config.revision, epoch, peers, folders)


def need_not_wait(config: Config, applied: Config, device_id: int) -> bool:
    """Return True if a device may receive its state before its hub has applied the configuration.

    The engine stores a folder that a device offers too early, and uses it as soon as the hub shares
    it. It would refuse the connection of an unknown device, though, and never synchronise an
    encrypted folder that was offered too early.
    """
    device, before = config.devices.get(device_id), applied.devices.get(device_id)
    if device is None or before is None:
        return False
    is_known = before.approved and before.hub == device.hub
    return is_known and not any(
        config.folders[share.folder_id].encrypted_on_hub
        for share in config.shares_of.get(device_id, [])
    )


def _folder(config: Config, share: Share, peers: list[str]) -> DesiredFolder:
    folder = config.folders[share.folder_id]
    return DesiredFolder(
        id=folder.engine_folder_id,
        label=folder.label,
        # Only devices without an agent receive encrypted files.
        mode="receive" if share.mode == "encrypted" else share.mode,
        path=share.path,
        versioning=folder.versioning if _keeps_versions(folder, share) else None,
        # The first matching pattern decides, so a device cannot include what the folder excludes.
        ignore_patterns=[*folder.ignore_patterns, *share.ignore_patterns],
        peers=peers,
        encrypted=folder.encrypted_on_hub,
        repair=share.repair,
        paused=share.paused,
    )


def _keeps_versions(folder: Folder, share: Share) -> bool:
    """Return True on request, and if files that exist only on the device may be replaced: held
    changes may be undone, and a repair may revert local changes.
    """
    return folder.versioning.on_devices or share.held or share.repair > 0


def hub_state(
    config: Config,
    now: WeekMoment | None = None,
    *,
    name: str = MAIN,
    hubs: Mapping[str, Peer] | None = None,
) -> HubState:
    """Return the desired state of the hub with this name.

    `hubs` are all hubs with a known engine id. Blocked devices are neither peers nor members of a
    folder; a device with a stopped share stays a peer but is not a member. The main hub is a peer
    of every additional hub, and additional hubs are not peers of each other.
    """
    now = now or current_moment()
    approved = {id: device for id, device in config.devices.items() if device.approved}
    here = [device for device in approved.values() if device.hub == name]
    others = {
        each: peer for each, peer in (hubs or {}).items() if each != name and MAIN in (each, name)
    }
    members = _members(config, approved, name, others)
    passwords = _passwords(config)
    return HubState(
        revision=config.revision,
        peers=[*(_device(each, now) for each in here), *map(_hub, others, others.values())],
        folders=[
            _hub_folder(config.folders[id], each, name, passwords.get(id, {}))
            for id, each in members.items()
        ],
        elsewhere=[device.engine_id for device in approved.values() if device.hub != name],
    )


def _members(
    config: Config, approved: Mapping[int, Device], name: str, others: Mapping[str, Peer]
) -> dict[int, set[str]]:
    """Return the engine ids of the members by folder."""
    found: dict[int, set[str]] = {id: set() for id in config.folders} if name == MAIN else {}
    for share in config.shares:
        device = approved.get(share.device_id)
        if device is None:
            continue
        if device.hub == name:
            engines = found.setdefault(share.folder_id, set())
            if not _is_stopped(share, device) and _is_sendable(config, share):
                engines.add(device.engine_id)
        elif name == MAIN and device.hub in others:
            found[share.folder_id].add(others[device.hub].engine_id)
    if name != MAIN and MAIN in others:
        for engines in found.values():
            engines.add(others[MAIN].engine_id)
    return found


def _is_stopped(share: Share, device: Device) -> bool:
    """Return True for a share that is held, or paused on a device that has no agent to do so."""
    return share.held or (share.paused and device.agentless)


def _is_sendable(config: Config, share: Share) -> bool:
    """Return False for a share that must be encrypted, but whose password is missing."""
    return share.mode != "encrypted" or (share.folder_id, share.device_id) in config.passwords


def _hub_folder(
    folder: Folder, engines: set[str], name: str, passwords: dict[str, str]
) -> HubFolder:
    return HubFolder(
        id=folder.engine_folder_id,
        label=folder.label,
        # Versions are kept only at the main hub, which receives every change.
        versioning=folder.versioning if name == MAIN else None,
        ignore_patterns=folder.ignore_patterns,
        encrypted=folder.encrypted_on_hub,
        devices=sorted(engines),
        passwords=passwords,
    )


def _passwords(config: Config) -> dict[int, dict[str, str]]:
    """Return the passwords of encrypted shares by folder and engine id."""
    found: dict[int, dict[str, str]] = {}
    for (folder_id, device_id), password in config.passwords.items():
        shares = config.shares_of.get(device_id, [])
        if any(each.folder_id == folder_id and each.mode == "encrypted" for each in shares):
            engine_id = config.devices[device_id].engine_id
            found.setdefault(folder_id, {})[engine_id] = password
    return found


def _device(device: Device, now: WeekMoment) -> HubPeer:
    pace = pace_at(device.traffic, now)
    # The device's upload is the hub's download, and vice versa.
    return HubPeer(
        device.engine_id,
        device.name,
        pace.paused,
        pace.download_kib,
        pace.upload_kib,
        agentless=device.agentless,
    )


def _hub(name: str, peer: Peer) -> HubPeer:
    return HubPeer(peer.engine_id, name or "hub", addresses=tuple(peer.addresses))
