"""The whole configuration as a file, without ids of this server and without secrets."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from quartet.sync.config.types.devices import HubName, Kind, Name
from quartet.sync.config.types.folders import Label
from quartet.sync.config.types.shares import ShareMode
from quartet.sync.config.types.traffic import Traffic
from quartet.sync.protocol import System, Versioning
from quartet.sync.protocol.limits import FOLDERS_PER_DEVICE, PATH_CHARS, PATTERNS
from quartet.sync.protocol.message_types import EngineFolderId, EngineId

FORMAT: Literal[1] = 1
MOST_DEVICES = 20_000
MOST_SHARES = 100_000


class PortableFolder(msgspec.Struct, frozen=True, rename="camel"):
    engine_folder_id: EngineFolderId
    label: Label
    ignore_patterns: list[str] = []
    versioning: Versioning = Versioning()
    encrypted_on_hub: bool = False


class PortableDevice(msgspec.Struct, frozen=True, rename="camel"):
    """A device, identified by its public key."""

    public_key: bytes
    engine_id: EngineId
    name: Name
    os: System
    kind: Kind = "other"
    blocked: bool = False
    traffic: Traffic = msgspec.field(default_factory=Traffic)
    # Replaced by the main hub if the importing server does not know this one.
    hub: HubName = ""
    agentless: bool = False
    path_template: Annotated[str, Meta(max_length=PATH_CHARS)] = ""


class PortableShare(msgspec.Struct, frozen=True, rename="camel"):
    engine_folder_id: EngineFolderId
    # The engine id of a device in the file.
    engine_id: EngineId
    mode: ShareMode
    path: str
    # Patterns of this device only.
    ignore_patterns: Annotated[list[str], Meta(max_length=PATTERNS)] = []


class Portable(msgspec.Struct, frozen=True, rename="camel"):
    format: Literal[1]
    folders: Annotated[list[PortableFolder], Meta(max_length=FOLDERS_PER_DEVICE)]
    devices: Annotated[list[PortableDevice], Meta(max_length=MOST_DEVICES)]
    shares: Annotated[list[PortableShare], Meta(max_length=MOST_SHARES)]
    # When and from which revision it was exported.
    exported_at: int = 0
    revision: int = 0
