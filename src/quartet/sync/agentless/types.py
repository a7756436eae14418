"""Devices that run Syncthing without an agent: phones, a NAS, the computer of a friend."""

from typing import Annotated

import msgspec
from msgspec import Meta

from quartet.sync.config.types.devices import Kind, Name


class NewAgentless(msgspec.Struct, frozen=True, rename="camel"):
    # Also accepted in lower case, and without or with other separators.
    engine_id: Annotated[str, Meta(max_length=200)]
    name: Name
    kind: Kind = "phone"


class AddedDevice(msgspec.Struct, frozen=True):
    id: int


class Invitation(msgspec.Struct, frozen=True, rename="camel"):
    """What a device needs to find the hub."""

    # Empty until the hub has started for the first time.
    engine_id: str
    # For example tcp://sync.example.org:22001
    address: str
