from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from quartet.sync.config.types.devices import Id
from quartet.sync.protocol import Mode

ChangeMode = Literal["both", "send", "receive", "off"]
MOST_CHANGES = 5000


class Share(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A missing one means: off."""

    folder_id: int
    device_id: int
    mode: Mode
    path: str
    # Cut off on the hub, because the device deleted much at once.
    held: bool = False
    # The number of the wish of a person to undo what the mode does not allow.
    repair: int = 0


class ShareChange(msgspec.Struct, frozen=True, rename="camel"):
    folder_id: Id
    device_id: Id
    mode: ChangeMode
    # Not needed when a share is switched off, or keeps the path it has.
    path: str | None = None


class Draft(msgspec.Struct, frozen=True, rename="camel"):
    changes: Annotated[list[ShareChange], Meta(max_length=MOST_CHANGES)]
    # The revision the draft was made on; a newer one makes it stale.
    base_revision: int | None = None


class BadRow(msgspec.Struct, frozen=True, rename="camel"):
    """Why one row of a draft cannot be."""

    folder_id: int
    device_id: int
    code: str
    inputs: dict[str, Any] = {}


class Revised(msgspec.Struct, frozen=True):
    revision: int


class DeviceDiff(msgspec.Struct, frozen=True, rename="camel"):
    """Folder ids that appear, vanish, or get another mode or path on a device."""

    device_id: int
    adds: list[int]
    removes: list[int]
    changes: list[int]


class Preview(msgspec.Struct, frozen=True):
    revision: int
    devices: list[DeviceDiff]
