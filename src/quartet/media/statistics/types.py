import msgspec

from quartet.media.roots.types import FolderKind


class Week(msgspec.Struct, frozen=True):
    """`start` is the Monday in milliseconds since 1970."""

    start: int
    files: int
    bytes: int


class LibraryDay(msgspec.Struct, frozen=True):
    """`day` is its beginning in milliseconds since 1970."""

    day: int
    files: int
    bytes: int


class LibrarySize(msgspec.Struct, frozen=True):
    """The size of a library on the days it was measured, oldest first."""

    id: int
    name: str
    kind: FolderKind
    days: list[LibraryDay]


class Statistics(msgspec.Struct, frozen=True):
    """All weeks up to the current one, oldest first, and all libraries."""

    weeks: list[Week]
    libraries: list[LibrarySize]
