from typing import Annotated, Literal

import msgspec

Path = Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]
Keep = Literal["current", "copy", "both"]


class KnownConflict(msgspec.Struct, frozen=True):
    """A conflict copy that was found; `made_by` is an engine id, or empty if unknown."""

    copy_path: str
    made_by: str = ""


class Maker(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    name: str
    device_id: int | None = None


class Conflict(msgspec.Struct, frozen=True, rename="camel"):
    path: str
    copy_path: str
    # The time in the copy's name, in UTC: hubs and agents run their engines with that time zone.
    at: int
    # The device whose content the copy has; None if unknown.
    made_by: Maker | None
    # None if the file itself was deleted.
    size: int | None
    copy_size: int
    # When the contents were changed on their devices; None if the file itself was deleted.
    modified_at: int | None
    copy_modified_at: int


class Side(msgspec.Struct, frozen=True, rename="camel"):
    size: int
    modified_at: int
    # None if the file is too large or not a text.
    text: str | None = None


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of a diff; `left` and `right` are line numbers in the current file and the copy."""

    kind: Literal["same", "add", "del"]
    text: str
    left: int | None = None
    right: int | None = None


class Content(msgspec.Struct, frozen=True, rename="camel"):
    path: str
    copy_path: str
    # None if the file itself was deleted.
    current: Side | None
    copy: Side
    # The device whose content the file itself has; None if unknown.
    current_by: Maker | None
    # Only for two texts that are not too long.
    diff: list[Line] | None
    too_large: bool
    binary: bool


class Resolve(msgspec.Struct, frozen=True):
    copy: Path
    keep: Keep


KeepSide = Literal["newest", "largest", "device"]


class ResolveAll(msgspec.Struct, frozen=True, rename="camel"):
    """Keep one side of every conflict; `deviceId` is required for "device"."""

    keep: KeepSide
    device_id: int | None = None


class ResolvedAll(msgspec.Struct, frozen=True):
    """Skipped conflicts have no side of the device, or changed in the meantime."""

    resolved: int
    skipped: int


class Resolved(msgspec.Struct, frozen=True):
    """The path of the kept content."""

    path: str
