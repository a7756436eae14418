from typing import Literal, NamedTuple

import msgspec

from quartet.downloads.packages.states import Status
from quartet.downloads.queue.types import Progress

# `clearing`: extracted, and its volumes are being deleted.
State = Literal["pending", "running", "clearing", "unpacked", "failed"]


class RunningExtraction(msgspec.Struct, frozen=True, rename="camel"):
    """An archive that is being extracted; `path` is its first volume."""

    path: str
    package_id: int | None
    percent: int


class ProgressWithExtraction(Progress, frozen=True, tag="progress"):
    """Progress of downloads and extractions."""

    extract: list[RunningExtraction]


class ExtractionSettings(NamedTuple):
    """The settings of one extraction: of its package or, if it has none, of the options."""

    nested: bool
    delete_archives: bool


class ArchivePiece(NamedTuple):
    """A download that may be a volume of an archive."""

    package_id: int
    name: str
    status: Status
    file: str | None
    target_dir: str


class ExtractedArchive(NamedTuple):
    """An archive whose content is in place."""

    path: str
    package_id: int | None
    files: list[str]


class PackageToExtract(NamedTuple):
    """A package whose archives are to be extracted."""

    id: int
    running: bool
    # Its downloads, and those of packages that share its folders.
    pieces: list[ArchivePiece]
    # The first volumes of archives that were extracted or have failed.
    settled: set[str]
