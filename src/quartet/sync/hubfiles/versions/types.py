from typing import Annotated

import msgspec

Path = Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]
# Up to the year 9999, where names of versions end.
Time = Annotated[int, msgspec.Meta(ge=0, le=253402300799)]


class Version(msgspec.Struct, frozen=True):
    """An earlier content of a file; `path` and `at` name it."""

    path: str
    at: int
    size: int
    # Of the file on the hub's disk.
    name: str


class VersionPage(msgspec.Struct, frozen=True):
    """The newest first; `cursor` asks for what follows, and is missing at the end."""

    versions: list[Version]
    cursor: str | None = None


class Restore(msgspec.Struct, frozen=True):
    path: Path
    at: Time
