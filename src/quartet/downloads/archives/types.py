from collections.abc import Callable
from typing import Literal, NamedTuple

import msgspec

Parts = tuple[str, ...]
Progress = Callable[[int], None]  # percent
Cancelled = Callable[[], bool]

Kind = Literal["zip", "7z", "rar", "tar", "stream"]
# raw: any file cut into pieces named .001, .002 and so on.
Scheme = Literal["single", "part", "numbered", "old_rar", "spanned_zip", "raw"]

MIB = 1 << 20
GIB = 1 << 30


class ArchiveSet(msgspec.Struct, frozen=True, kw_only=True):
    """The files of one folder that form one archive."""

    folder: Parts
    kind: Kind
    scheme: Scheme
    stem: str  # the name without all of its endings
    ending: str  # of a single file, in lower case: `.zip`, `.tar.gz`
    width: int  # number of digits in a volume's number
    upper: bool  # whether the endings are in upper case
    last: int  # the highest existing number
    parts: tuple[str, ...]  # in order; the first one opens the archive
    missing: tuple[str, ...] = ()  # missing according to the numbering

    @property
    def first(self) -> str:
        return self.parts[0]

    @property
    def packed_tar(self) -> bool:
        return self.kind == "stream" and self.ending.startswith(".t")


class ExtractionLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits beyond which an archive counts as a bomb."""

    bytes: int = 1024 * GIB
    file: int = 1024 * GIB
    members: int = 200_000
    ratio: int = 1000
    small: int = GIB  # the ratio is ignored up to this size
    depth: int = 0  # archives inside archives; 0 leaves them packed
    seconds: float = 6 * 3600.0
    memory: int = 2 * GIB


class Member(NamedTuple):
    """A member of an archive, as the archive describes it."""

    name: str
    size: int | None
    is_folder: bool
    encrypted: bool
    is_link: bool
    is_hard_link: bool
    link_target: str  # empty if it is stored as the content of the member
    is_special: bool
    continues: bool  # can only be extracted after the previous one


class ArchiveListing(NamedTuple):
    members: list[Member]

    @property
    def total(self) -> int:
        """Return the extracted size, as far as the archive says."""
        return sum(member.size or 0 for member in self.members)

    @property
    def encrypted(self) -> bool:
        return any(member.encrypted for member in self.members)


class Extracted(msgspec.Struct, frozen=True):
    """The result of an extraction; all paths are relative to the root."""

    files: tuple[str, ...]
    password_used: str | None
    bytes: int
    # Files that could not keep the name they have in the archive: that name and the new one.
    renamed: tuple[tuple[str, str], ...] = ()
    # Links that were left out, because they lead out of the target folder.
    skipped_links: tuple[str, ...] = ()
