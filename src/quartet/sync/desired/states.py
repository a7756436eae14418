"""From the configuration to what each engine shall be; pure functions."""

from quartet.sync.desired.types import HubFolder, HubPeer, HubState
from quartet.sync.devices.types import Device
from quartet.sync.protocol import DesiredFolder, DesiredState, Peer
from quartet.sync.revisions.types import Config
from quartet.sync.shares.types import Share
from quartet.sync.traffic.pace import Moment, pace_at, this_moment


def device_state(config: Config, device_id: int, hub: Peer | None, epoch: str) -> DesiredState:
    """The hub is the only peer; while its engine's id is not known there is none."""
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


def hub_state(config: Config, now: Moment | None = None) -> HubState:
    """Blocked devices are neither peers nor members of a folder; of a held share only the peer."""
    now = now or this_moment()
    approved = {id: device for id, device in config.devices.items() if device.approved}
    members: dict[int, list[str]] = {id: [] for id in config.folders}
    for share in config.shares:
        if share.device_id in approved and not share.held:
            members[share.folder_id].append(approved[share.device_id].engine_id)
    return HubState(
        revision=config.revision,
        peers=[_peer(device, now) for device in approved.values()],
        folders=[
            HubFolder(
                id=folder.engine_folder_id,
                label=folder.label,
                versioning=folder.versioning,
                ignore_patterns=folder.ignore_patterns,
                encrypted=folder.encrypted_on_hub,
                devices=sorted(members[folder.id]),
            )
            for folder in config.folders.values()
        ],
    )


def _peer(device: Device, now: Moment) -> HubPeer:
    pace = pace_at(device.traffic, now)
    # What a device uploads the hub receives.
    return HubPeer(device.engine_id, device.name, pace.paused, pace.download_kib, pace.upload_kib)
