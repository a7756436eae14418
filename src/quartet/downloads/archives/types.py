from collections.abc import Callable
from typing import Literal, NamedTuple

import msgspec

Parts = tuple[str, ...]
Progress = Callable[[int], None]  # percent
Cancelled = Callable[[], bool]

Kind = Literal["zip", "7z", "rar", "tar", "stream"]
Scheme = Literal["single", "part", "numbered", "old_rar", "spanned_zip"]

MIB = 1 << 20
GIB = 1 << 30


class ArchiveSet(msgspec.Struct, frozen=True, kw_only=True):
    """The files of one folder that are one archive together."""

    folder: Parts
    kind: Kind
    scheme: Scheme
    stem: str  # what is left of the name without any of its endings
    ending: str  # of a single file, in lower case: `.zip`, `.tar.gz`
    width: int  # digits of a part's number
    upper: bool  # whether the endings are in upper case
    last: int  # the highest number there is
    parts: tuple[str, ...]  # in order; the first one opens the archive
    missing: tuple[str, ...] = ()  # what the numbering says is not there

    @property
    def first(self) -> str:
        return self.parts[0]

    @property
    def packed_tar(self) -> bool:
        return self.kind == "stream" and self.ending.startswith(".t")


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What an archive may cost before it counts as a bomb."""

    bytes: int = 1024 * GIB
    file: int = 1024 * GIB
    members: int = 200_000
    ratio: int = 1000
    small: int = GIB  # up to here the ratio does not matter
    depth: int = 3  # archives inside archives; 0 leaves them packed
    seconds: float = 6 * 3600.0
    memory: int = 2 * GIB


class Member(NamedTuple):
    """One entry of an archive, as the archive describes it."""

    name: str
    size: int | None
    is_folder: bool
    encrypted: bool
    is_link: bool
    is_special: bool
    continues: bool  # can only be unpacked after the one before it


class Listing(NamedTuple):
    members: list[Member]

    @property
    def total(self) -> int:
        """Bytes after unpacking, as far as the archive says."""
        return sum(member.size or 0 for member in self.members)

    @property
    def encrypted(self) -> bool:
        return any(member.encrypted for member in self.members)


class Extracted(msgspec.Struct, frozen=True):
    files: tuple[str, ...]  # below the root
    password_used: str | None
    bytes: int
