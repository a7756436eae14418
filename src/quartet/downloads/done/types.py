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
    """A file, or a folder with all of its content."""

    name: str
    path: str
    dir: bool
    # None while a large folder is still being counted.
    size: int | None
    modified: int
    kind: Kind | None
    package: PackageHere | None
    # The number of archives in a folder.
    archives: int
    # The progress of an extraction in this folder, in percent.
    extracting: int | None
    error: Problem | None


class FolderContents(msgspec.Struct, frozen=True):
    """A folder in the done folder; `root` is the path of the done folder on the server."""

    path: str
    root: str
    entries: list[FileEntry]
    extracting: int | None
    error: Problem | None


class FoundFile(msgspec.Struct, frozen=True):
    """A file or folder that a search has found."""

    path: str
    dir: bool


class Chosen(msgspec.Struct, frozen=True):
    paths: Paths


class Moving(msgspec.Struct, frozen=True):
    """An empty `to` means the done folder itself."""

    paths: Paths
    to: str


class Renaming(msgspec.Struct, frozen=True):
    path: str
    name: str


class Renamed(msgspec.Struct, frozen=True):
    """The new path."""

    path: str


class NewFolder(msgspec.Struct, frozen=True, omit_defaults=True):
    name: str
    path: str = ""


class MadeFolder(msgspec.Struct, frozen=True):
    path: str


class Deleted(msgspec.Struct, frozen=True):
    """The number of deleted files."""

    deleted: int


class KnownFiles(NamedTuple):
    """What the database knows about a folder."""

    # By path: the folder itself, its subfolders and its files.
    packages: dict[str, PackageHere]
    failures: dict[str, Problem]


class FolderChange(NamedTuple):
    """A package whose finished files have to be moved from former target folders."""

    id: int
    target_dir: str
    moved_from: list[str]
