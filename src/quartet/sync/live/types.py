from typing import Any, Literal

import msgspec

from quartet.kernel.errors import Problem
from quartet.kernel.events import Event
from quartet.sync.agents.pairing.types import ShownWaiting
from quartet.sync.config.types.devices import Kind
from quartet.sync.config.types.folders import ShownFolder
from quartet.sync.config.types.shares import Share
from quartet.sync.config.types.traffic import Pace, Traffic
from quartet.sync.hub.types import Completion, HubPhase, PendingDevice
from quartet.sync.protocol import FolderStatus, Trust, TunnelStatus


class ShownHub(msgspec.Struct, frozen=True, rename="camel"):
    engine_id: str
    engine_version: str
    # The address that devices dial; if empty, they use the host at which they reached the server.
    address: str
    state: HubPhase
    error: Problem | None
    applied_revision: int


class ShownFolderError(msgspec.Struct, frozen=True, rename="camel"):
    folder_id: int
    code: str
    inputs: dict[str, Any]


# Thousands are cached, and the garbage collector need not visit them: they are in no cycle.
class ShownDevice(msgspec.Struct, frozen=True, rename="camel", gc=False):
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
    # The current limits, from the schedule or the defaults.
    pace: Pace
    # Name of the device's hub; empty for the main hub.
    hub: str
    # How the device came to trust this server's key; empty if it does not check the key.
    trust: Trust | Literal[""]
    # The code with which the device refuses this server's configuration; empty if it follows.
    refusal: str
    # Seconds by which its clock is ahead of the server's; 0 if the difference is harmless.
    clock_offset: int
    # True for a device that runs Syncthing without an agent.
    agentless: bool
    # Where new shares are stored; empty for the template of the server.
    path_template: str


class Overview(msgspec.Struct, frozen=True, rename="camel"):
    revision: int
    hub: ShownHub
    devices: list[ShownDevice]
    folders: list[ShownFolder]
    shares: list[Share]
    waiting: list[ShownWaiting]
    # Disks of the server that are full or missing.
    problems: list[Problem]
    # Unknown devices without an agent that have tried to connect to the hub.
    pending_devices: list[PendingDevice]
    # Where new shares are stored on devices without a template of their own.
    path_template: str


class DeviceStatus(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    online: bool
    # The folders by their id.
    folders: dict[int, FolderStatus]
    # Set if the device reaches its hub through this server.
    tunnel: TunnelStatus | None = None


class HubFolderStatus(FolderStatus, frozen=True):
    # By device id, including offline devices.
    completion: dict[int, Completion] = {}


class HubStatus(msgspec.Struct, frozen=True):
    folders: dict[int, HubFolderStatus]


class LiveStatus(msgspec.Struct, frozen=True):
    # The devices by their id.
    devices: dict[int, DeviceStatus]
    hub: HubStatus


class Update(Event, frozen=True, rename="camel", tag="update"):
    """The first update on a socket has the complete status, later ones only the changes."""

    revision: int
    online: list[int]
    status: LiveStatus
    hub: ShownHub
    waiting: list[ShownWaiting]
    # Number of conflicts by folder id, for folders with conflicts.
    conflicts: dict[int, int]
    problems: list[Problem]
    pending_devices: list[PendingDevice]
