"""What the hub's engine shall be set to."""

from pathlib import Path

from quartet.sync.config.types.desired import HubFolder, HubState
from quartet.sync.engine import EngineConfig, EngineFolder, EnginePeer


def hub_config(state: HubState, folders: Path) -> EngineConfig:
    return EngineConfig(
        peers=[
            EnginePeer(
                peer.engine_id,
                peer.name,
                peer.addresses,
                paused=peer.paused,
                send_kib=peer.send_kib,
                receive_kib=peer.receive_kib,
            )
            for peer in state.peers
        ],
        folders=[_folder(folder, folders) for folder in state.folders],
    )


def _folder(folder: HubFolder, folders: Path) -> EngineFolder:
    return EngineFolder(
        id=folder.id,
        label=folder.label,
        path=str(folders / folder.id),
        type="receiveencrypted" if folder.encrypted else "sendreceive",
        peers=folder.devices,
        versioning=folder.versioning,
        # The hub sees no names of an encrypted folder, so it cannot leave any out.
        ignore_patterns=[] if folder.encrypted else folder.ignore_patterns,
    )
