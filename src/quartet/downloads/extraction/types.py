from typing import Literal, NamedTuple

import msgspec

from quartet.downloads.packages.states import Status
from quartet.downloads.queue.types import Progress

# `clearing`: unpacked, and its parts are being deleted.
State = Literal["pending", "running", "clearing", "unpacked", "failed"]


class Unpacking(msgspec.Struct, frozen=True, rename="camel"):
    """An archive that is being unpacked; `path` is its first part."""

    path: str
    package_id: int | None
    percent: int


class WholeProgress(Progress, frozen=True, tag="progress"):
    """Downloads and archives together."""

    extract: list[Unpacking]


class Piece(NamedTuple):
    """A download as a possible part of an archive."""

    package_id: int
    name: str
    status: Status
    file: str | None
    target_dir: str


class Unpacked(NamedTuple):
    """An archive whose content is in place."""

    path: str
    package_id: int | None
    files: list[str]


class Wanted(NamedTuple):
    """A package whose archives are to be unpacked."""

    id: int
    running: bool
    # Its own downloads, and those of packages that share its folders.
    pieces: list[Piece]
    # First parts of archives that are settled, one way or the other.
    settled: set[str]
