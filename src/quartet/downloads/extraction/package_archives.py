"""Detects archives in a folder that several packages share.

A second package with the same names has other names on the disk ("x (1).part1.rar"), which may
fill gaps in the numbering of the first. So the volumes of each package are combined by their
original names; only sets that are still incomplete are completed from the rest of the folder.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import structs

from quartet.downloads.archives import (
    ArchiveSet,
    are_pieces,
    find_sets,
    require_all_parts,
)
from quartet.downloads.archives.types import Parts
from quartet.downloads.extraction.types import ArchivePiece, PackageToExtract
from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.kernel.files import TEMPORARY_PREFIX, Root, safe_name
from quartet.kernel.files.errors import display_path
from quartet.kernel.files.paths import to_parts

# States of downloads whose files may still arrive.
_PENDING = ("queued", "resolving", "downloading", "paused")


class ExtractionPlan(NamedTuple):
    """What can be done for a package now."""

    ready: list[ArchiveSet]
    failed: dict[str, Problem]
    waits: bool


def first_path(archive: ArchiveSet) -> str:
    return display_path((*archive.folder, archive.first))


def files_of(archive: ArchiveSet) -> list[str]:
    return [display_path((*archive.folder, name)) for name in archive.parts]


def sets_in(root: Root, folder: Parts, pieces: Iterable[ArchivePiece]) -> list[ArchiveSet]:
    """Return all archives of a folder. Blocks, because it reads the volumes."""
    there = {
        entry.name
        for entry in root.list(folder)
        if entry.is_file and not entry.name.startswith(TEMPORARY_PREFIX)
    }
    own = [found for names in _by_package(folder, there, pieces) for found in _named(names, folder)]
    whole = [found for found in own if not _missing(root, found)]
    partial = [found for found in own if found not in whole]
    rest = find_sets(there - _names(whole), folder)
    completed = [found for found in rest if not _missing(root, found)]
    left = [found for found in partial if not _names([found]) & _names(completed)]
    unowned = [
        found for found in rest if found not in completed and not _names([found]) & _names(partial)
    ]
    found = [*whole, *completed, *left, *unowned]
    return [each for each in found if each.scheme != "raw" or are_pieces(root, each)]


def set_of(root: Root, path: str, pieces: Iterable[ArchivePiece]) -> ArchiveSet:
    """Return the archive that contains this file."""
    *folder, name = to_parts(path)
    for found in sets_in(root, tuple(folder), pieces):
        if name in found.parts:
            return found
    raise AppError(422, "not_an_archive", name=name)


def owner_of(archive: ArchiveSet, pieces: Iterable[ArchivePiece]) -> int | None:
    """Return the package of the first volume that is still in the queue."""
    return _owner(archive, _owners(pieces))


def plan_for(root: Root, wanted: PackageToExtract) -> ExtractionPlan:
    plan = ExtractionPlan([], {}, False)
    own = [piece for piece in wanted.pieces if piece.package_id == wanted.id]
    owners = _owners(wanted.pieces)
    folders = {_folder(piece.file) for piece in own if piece.file and _exists(root, piece.file)}
    found = [
        archive
        for folder in sorted(folders)
        for archive in sets_in(root, folder, wanted.pieces)
        if _owner(archive, owners) == wanted.id and first_path(archive) not in wanted.settled
    ]
    for archive in found:
        missing = _missing(root, archive)
        if not missing:
            plan.ready.append(archive)
        elif _may_still_come(missing, archive.folder, own, wanted.pieces):
            plan = plan._replace(waits=True)
        else:
            problem = Problem("parts_missing", {"archive": archive.first, "missing": missing})
            plan.failed[first_path(archive)] = problem
    if not found and not wanted.settled:
        plan.failed.update(_missing_files(root, own))
    return plan


def _owners(pieces: Iterable[ArchivePiece]) -> dict[str, int]:
    """Return the package of each file; the first one if there are several."""
    owners: dict[str, int] = {}
    for piece in pieces:
        if piece.file:
            owners.setdefault(piece.file, piece.package_id)
    return owners


def _owner(archive: ArchiveSet, owners: Mapping[str, int]) -> int | None:
    return next((owners[file] for file in files_of(archive) if file in owners), None)


def _by_package(
    folder: Parts, there: set[str], pieces: Iterable[ArchivePiece]
) -> list[dict[str, str]]:
    """Return, for each package, the names on the disk by original name."""
    packages: dict[int, dict[str, str]] = {}
    for piece in pieces:
        if piece.status != "finished" or not piece.file or _folder(piece.file) != folder:
            continue
        real, sent = piece.file.rpartition("/")[2], safe_name(piece.name)
        names = packages.setdefault(piece.package_id, {})
        # If a package contains the same file twice, the first one has the original name.
        if real in there and (sent not in names or real == sent):
            names[sent] = real
    return list(packages.values())


def _named(names: dict[str, str], folder: Parts) -> list[ArchiveSet]:
    return [
        structs.replace(found, parts=tuple(names[name] for name in found.parts))
        for found in find_sets(names, folder)
    ]


def _missing(root: Root, archive: ArchiveSet) -> list[str]:
    try:
        require_all_parts(root, archive)
    except AppError as error:
        if error.code != "parts_missing":
            raise
        return [str(name) for name in error.inputs["missing"]]  # type: ignore[attr-defined]
    return []


def _names(sets: Sequence[ArchiveSet]) -> set[str]:
    return {name for archive in sets for name in archive.parts}


def _may_still_come(
    missing: list[str], folder: Parts, own: list[ArchivePiece], all: Iterable[ArchivePiece]
) -> bool:
    """Return whether missing volumes may still arrive.

    A download of this package may get any name; one of another package must have the right name.
    """
    if any(piece.status in _PENDING for piece in own):
        return True
    return any(
        piece.status in _PENDING
        and safe_name(piece.name) in missing
        and to_parts(piece.target_dir) == folder
        for piece in all
    )


def _missing_files(root: Root, own: list[ArchivePiece]) -> dict[str, Problem]:
    """Return errors for archives that were downloaded but no longer exist."""
    finished = [piece for piece in own if piece.status == "finished"]
    gone = [piece.name for piece in finished if not (piece.file and _exists(root, piece.file))]
    return {
        found.first: problem_of(AppError(404, "server_files_notFoundAt", path=found.first))
        for found in find_sets(gone)
    }


def _exists(root: Root, file: str) -> bool:
    return root.exists(to_parts(file))


def _folder(file: str) -> Parts:
    return to_parts(file)[:-1]
