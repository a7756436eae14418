from typing import Annotated

import msgspec

Path = Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]
# Up to the year 9999, the last one that fits into a version's name.
Time = Annotated[int, msgspec.Meta(ge=0, le=253402300799)]


class Version(msgspec.Struct, frozen=True):
    """An earlier version of a file, identified by `path` and `at`."""

    path: str
    at: int
    size: int
    # The file's name on the hub's disk.
    name: str


class VersionPage(msgspec.Struct, frozen=True):
    """Versions, newest first; `cursor` requests the next page and is null on the last one."""

    versions: list[Version]
    cursor: str | None = None


class RestoreVersion(msgspec.Struct, frozen=True):
    path: Path
    at: Time
