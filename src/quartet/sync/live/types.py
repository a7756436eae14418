from typing import Any

import msgspec

from quartet.kernel.errors import Problem
from quartet.kernel.events import Event
from quartet.sync.agents.pairing.types import ShownWaiting
from quartet.sync.config.types.devices import Kind
from quartet.sync.config.types.folders import ShownFolder
from quartet.sync.config.types.shares import Share
from quartet.sync.config.types.traffic import Pace, Traffic
from quartet.sync.hub.types import Completion, HubPhase
from quartet.sync.protocol import FolderStatus


class ShownHub(msgspec.Struct, frozen=True, rename="camel"):
    engine_id: str
    engine_version: str
    # Where devices dial it; empty when they try the host at which they found the server.
    address: str
    state: HubPhase
    error: Problem | None
    applied_revision: int


class ShownFolderError(msgspec.Struct, frozen=True, rename="camel"):
    folder_id: int
    code: str
    inputs: dict[str, Any]


class ShownDevice(msgspec.Struct, frozen=True, rename="camel"):
    id: int
    name: str
    kind: Kind
    os: str
    fingerprint: str
    engine_id: str
    agent_version: str
    engine_version: str
    approved: bool
    blocked: bool
    created_at: int
    last_seen: int
    applied_rev: int
    online: bool
    errors: list[ShownFolderError]
    traffic: Traffic
    # Right now, by the schedule or without it.
    pace: Pace
    # The name of the hub it dials; empty is the main one.
    hub: str


class Overview(msgspec.Struct, frozen=True, rename="camel"):
    revision: int
    hub: ShownHub
    devices: list[ShownDevice]
    folders: list[ShownFolder]
    shares: list[Share]
    waiting: list[ShownWaiting]


class DeviceStatus(msgspec.Struct, frozen=True, rename="camel"):
    online: bool
    # By folder id.
    folders: dict[int, FolderStatus]


class HubFolderStatus(FolderStatus, frozen=True):
    # By device id, also of devices that are offline.
    completion: dict[int, Completion] = {}


class HubStatus(msgspec.Struct, frozen=True):
    folders: dict[int, HubFolderStatus]


class LiveStatus(msgspec.Struct, frozen=True):
    # By device id.
    devices: dict[int, DeviceStatus]
    hub: HubStatus


class Update(Event, frozen=True, tag="update"):
    """The first on a socket has the status of all, the others what changed since."""

    revision: int
    online: list[int]
    status: LiveStatus
    hub: ShownHub
    waiting: list[ShownWaiting]
    # How many each folder has, of those that have any.
    conflicts: dict[int, int]
