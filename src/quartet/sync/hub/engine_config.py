"""Translates the desired state of a hub into an engine configuration."""

from collections.abc import Mapping
from pathlib import Path

from quartet.sync.config.types.desired import HubFolder, HubState
from quartet.sync.engine import EngineConfig, EngineFolder, EnginePeer
from quartet.sync.hub.gate import Gate


def hub_config(
    state: HubState,
    folders: Path,
    gate: Gate | None = None,
    case_sensitive: Mapping[str, bool | None] | None = None,
) -> EngineConfig:
    sensitive = case_sensitive or {}
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
        folders=[
            _folder(folder, folders, gate, sensitive.get(folder.id)) for folder in state.folders
        ],
    )


def _folder(
    folder: HubFolder, folders: Path, gate: Gate | None, case_sensitive: bool | None
) -> EngineFolder:
    return EngineFolder(
        id=folder.id,
        label=folder.label,
        path=str(folders / folder.id),
        type="receiveencrypted" if folder.encrypted else "sendreceive",
        peers=folder.devices,
        passwords=folder.passwords,
        versioning=folder.versioning,
        archive_command=gate.command(folder.id) if gate else "",
        case_sensitive=case_sensitive,
        # The hub cannot see the names in an encrypted folder, so it cannot ignore any.
        ignore_patterns=[] if folder.encrypted else folder.ignore_patterns,
    )
