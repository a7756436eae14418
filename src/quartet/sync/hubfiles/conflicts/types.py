from typing import Annotated, Literal

import msgspec

Path = Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]
Keep = Literal["current", "copy", "both"]


class Known(msgspec.Struct, frozen=True):
    """A conflict copy that was found; `made_by` is an engine id, empty while nobody knows."""

    copy_path: str
    made_by: str = ""


class Maker(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    name: str
    device_id: int | None = None


class Conflict(msgspec.Struct, frozen=True, rename="camel"):
    path: str
    copy_path: str
    # As the copy's name says; the engines of hub and agents stamp it in UTC.
    at: int
    # Whose content the copy is; nothing when it cannot be told.
    made_by: Maker | None
    # Nothing when the file itself was deleted.
    size: int | None
    copy_size: int


class Side(msgspec.Struct, frozen=True, rename="camel"):
    size: int
    modified_at: int
    # Missing when it is too large or no text.
    text: str | None = None


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """`left` and `right` are line numbers in the current file and in the copy."""

    kind: Literal["same", "add", "del"]
    text: str
    left: int | None = None
    right: int | None = None


class Content(msgspec.Struct, frozen=True, rename="camel"):
    path: str
    copy_path: str
    # Nothing when the file itself was deleted.
    current: Side | None
    copy: Side
    # Only of two texts that are not too long.
    diff: list[Line] | None
    too_large: bool
    binary: bool


class Resolve(msgspec.Struct, frozen=True):
    copy: Path
    keep: Keep


class Resolved(msgspec.Struct, frozen=True):
    """Where the content that was asked for is now."""

    path: str
