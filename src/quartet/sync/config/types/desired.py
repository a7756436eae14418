"""The desired state of a hub's engine."""

import msgspec

from quartet.sync.protocol import Versioning


class HubPeer(msgspec.Struct, frozen=True):
    engine_id: str
    name: str
    paused: bool = False
    # KiB per second; 0 means unlimited.
    send_kib: int = 0
    receive_kib: int = 0
    # Set for another hub; devices connect to the hub themselves.
    addresses: tuple[str, ...] = ("dynamic",)
    # Only the hub knows whether such a device is connected.
    agentless: bool = False


class HubFolder(msgspec.Struct, frozen=True):
    """A folder on a hub: in mode "both", or encrypted if it was created so."""

    id: str
    label: str
    versioning: Versioning | None
    ignore_patterns: list[str]
    encrypted: bool
    # Engine ids of the devices and other hubs that have the folder.
    devices: list[str]
    # Passwords by engine id, for members that receive only encrypted files.
    passwords: dict[str, str] = {}


class HubState(msgspec.Struct, frozen=True):
    """The complete desired state of a hub."""

    revision: int
    peers: list[HubPeer]
    folders: list[HubFolder]
    # Engine ids of devices at other hubs, whose changes arrive through those hubs.
    elsewhere: list[str] = []
