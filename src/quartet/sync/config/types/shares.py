from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from quartet.sync.config.types.devices import Id
from quartet.sync.protocol.limits import PATTERNS

# "encrypted" is for devices without an agent: the hub encrypts all it sends to them.
ShareMode = Literal["both", "send", "receive", "encrypted"]
ChangeMode = Literal["both", "send", "receive", "encrypted", "off"]
MOST_CHANGES = 5000


class Share(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A folder on a device; a missing share means that the folder is off there."""

    folder_id: int
    device_id: int
    mode: ShareMode
    path: str
    # Stopped by the hub because the device deleted many files at once.
    held: bool = False
    # The id of a user's request to revert or override local changes.
    repair: int = 0
    # Apply on this device only, in addition to those of the folder.
    ignore_patterns: list[str] = []
    # Stopped by a user until it is resumed.
    paused: bool = False


class ShareChange(msgspec.Struct, frozen=True, rename="camel"):
    folder_id: Id
    device_id: Id
    mode: ChangeMode
    # Optional: a share keeps its path, and a new one gets the path of the device's template.
    path: str | None = None
    # For the mode "encrypted"; optional if the share had a password before.
    password: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    # Patterns of this device only; optional if they stay the same.
    ignore_patterns: Annotated[list[str], Meta(max_length=PATTERNS)] | None = None


class SharePair(msgspec.Struct, frozen=True, rename="camel"):
    folder_id: Id
    device_id: Id


class ShareSelection(msgspec.Struct, frozen=True):
    shares: Annotated[list[SharePair], Meta(min_length=1, max_length=MOST_CHANGES)]


class Draft(msgspec.Struct, frozen=True, rename="camel"):
    changes: Annotated[list[ShareChange], Meta(max_length=MOST_CHANGES)]
    # The revision the draft is based on; it becomes stale with a newer one.
    base_revision: int | None = None


class BadRow(msgspec.Struct, frozen=True, rename="camel"):
    """The reason why a row of a draft is invalid."""

    folder_id: int
    device_id: int
    code: str
    inputs: dict[str, Any] = {}


class Revised(msgspec.Struct, frozen=True):
    revision: int


class DeviceDiff(msgspec.Struct, frozen=True, rename="camel"):
    """The ids of folders that are added, removed or changed on a device."""

    device_id: int
    adds: list[int]
    removes: list[int]
    changes: list[int]


class Preview(msgspec.Struct, frozen=True):
    revision: int
    devices: list[DeviceDiff]
