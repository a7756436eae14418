"""The desired state of a hub's engine."""

import msgspec

from quartet.sync.protocol import Versioning


class HubPeer(msgspec.Struct, frozen=True):
    engine_id: str
    name: str
    paused: bool = False
    # In KiB per second; 0 is as fast as it goes.
    send_kib: int = 0
    receive_kib: int = 0
    # Of another hub; devices dial us.
    addresses: tuple[str, ...] = ("dynamic",)


class HubFolder(msgspec.Struct, frozen=True):
    """A hub holds its folders in mode Both, or encrypted as they were made."""

    id: str
    label: str
    versioning: Versioning | None
    ignore_patterns: list[str]
    encrypted: bool
    # Engine ids of the devices and other hubs that have it.
    devices: list[str]


class HubState(msgspec.Struct, frozen=True):
    """Always complete, as what agents get."""

    revision: int
    peers: list[HubPeer]
    folders: list[HubFolder]
    # Engine ids of devices at other hubs: what they change comes through those.
    elsewhere: list[str] = []
