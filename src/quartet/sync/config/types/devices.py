from typing import Annotated, Literal

import msgspec

from quartet.sync.config.types.traffic import Traffic
from quartet.sync.protocol import System
from quartet.sync.protocol.limits import LARGEST_NUMBER, PATH_CHARS

Kind = Literal["desktop", "laptop", "server", "phone", "other"]
# Neither the database nor a browser handles larger ids.
Id = Annotated[int, msgspec.Meta(ge=1, le=LARGEST_NUMBER)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
HubName = Annotated[str, msgspec.Meta(max_length=40)]


class Device(msgspec.Struct, frozen=True):
    """The configuration of a device; its reports are stored separately, see `StoredReport`."""

    id: int
    name: str
    kind: Kind
    os: System
    public_key: bytes
    engine_id: str
    # False if the device is blocked.
    approved: bool
    created_at: int
    # Name of the device's hub; empty for the main hub.
    hub: str = ""
    traffic: Traffic = msgspec.field(default_factory=Traffic)
    # True for a device with only a Syncthing engine; its public key is its engine id.
    agentless: bool = False
    # Where new shares are stored; empty for the template of the server.
    path_template: str = ""


class StoredReport(msgspec.Struct, frozen=True):
    """The last report of a device; not part of the configuration, so it creates no revisions."""

    agent_version: str = ""
    engine_version: str = ""
    last_seen: int = 0
    applied_rev: int = 0


class NewDevice(msgspec.Struct, frozen=True):
    name: str
    os: System
    public_key: bytes
    engine_id: str
    agent_version: str
    engine_version: str
    kind: Kind = "other"
    agentless: bool = False


class DeviceChange(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    name: Name | None = None
    kind: Kind | None = None
    blocked: bool | None = None
    traffic: Traffic | None = None
    hub: HubName | None = None
    path_template: Annotated[str, msgspec.Meta(max_length=PATH_CHARS)] | None = None


class PathTemplate(msgspec.Struct, frozen=True):
    # Such as ~/Sync/{folder}; empty for the default.
    template: Annotated[str, msgspec.Meta(max_length=PATH_CHARS)]
