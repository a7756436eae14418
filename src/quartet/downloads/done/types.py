from typing import Annotated, Literal, NamedTuple

import msgspec

from quartet.downloads.packages.types import Extract
from quartet.kernel.errors import Problem

Kind = Literal["archive", "video", "other"]

Paths = Annotated[list[str], msgspec.Meta(min_length=1, max_length=10_000)]


class PackageHere(msgspec.Struct, frozen=True, rename="camel"):
    """The package a file or folder belongs to."""

    id: int
    name: str
    extract: Extract | None
    extract_error: Problem | None


class FileEntry(msgspec.Struct, frozen=True, rename="camel"):
    """A file, or a folder with all that is in it."""

    name: str
    path: str
    dir: bool
    # Nothing while a large folder is still being counted.
    size: int | None
    modified: int
    kind: Kind | None
    package: PackageHere | None
    # How many archives lie in a folder.
    archives: int
    # Percent of the archive that is being unpacked there.
    extracting: int | None
    error: Problem | None


class Folder(msgspec.Struct, frozen=True):
    """A folder of the done folder; `root` is where that lies on the server."""

    path: str
    root: str
    entries: list[FileEntry]
    extracting: int | None
    error: Problem | None


class Chosen(msgspec.Struct, frozen=True):
    paths: Paths


class Moving(msgspec.Struct, frozen=True):
    """To the top of the done folder when `to` is empty."""

    paths: Paths
    to: str


class NewFolder(msgspec.Struct, frozen=True, omit_defaults=True):
    name: str
    path: str = ""


class MadeFolder(msgspec.Struct, frozen=True):
    path: str


class Deleted(msgspec.Struct, frozen=True):
    """How many files."""

    deleted: int


class Known(NamedTuple):
    """What the list knows about a folder."""

    # By path: of the folders in it and of itself, and of its files.
    packages: dict[str, PackageHere]
    failures: dict[str, Problem]
