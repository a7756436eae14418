"""Which files of a folder are one archive, when several packages lie in it.

A second package with the same names got others on the disk ("x (1).part1.rar"), and may fill gaps
in the numbering of the first. So each package's parts are put together by the names they were sent
with; only what is incomplete then is completed from the rest of the folder.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import structs

from quartet.downloads.archives import ArchiveSet, find_sets, require_all_parts
from quartet.downloads.archives.types import Parts
from quartet.downloads.extraction.types import Piece, Wanted
from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.kernel.files import TEMPORARY_PREFIX, Root, safe_name
from quartet.kernel.files.errors import display_path
from quartet.kernel.files.paths import to_parts

# Their parts may still come.
_COMING = ("queued", "resolving", "downloading", "paused")


class Plan(NamedTuple):
    """What can be done now for a package."""

    ready: list[ArchiveSet]
    failed: dict[str, Problem]
    waits: bool


def first_path(archive: ArchiveSet) -> str:
    return display_path((*archive.folder, archive.first))


def files_of(archive: ArchiveSet) -> list[str]:
    return [display_path((*archive.folder, name)) for name in archive.parts]


def sets_in(root: Root, folder: Parts, pieces: Iterable[Piece]) -> list[ArchiveSet]:
    """Every archive of a folder; blocks, because the parts themselves are looked at."""
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
    nobodys = [
        found for found in rest if found not in completed and not _names([found]) & _names(partial)
    ]
    return [*whole, *completed, *left, *nobodys]


def set_of(root: Root, path: str, pieces: Iterable[Piece]) -> ArchiveSet:
    """The whole archive, whichever of its parts was picked."""
    *folder, name = to_parts(path)
    for found in sets_in(root, tuple(folder), pieces):
        if name in found.parts:
            return found
    raise AppError(422, "not_an_archive", name=name)


def owner_of(archive: ArchiveSet, pieces: Iterable[Piece]) -> int | None:
    """The package with the first of its parts that is still in the list."""
    return _owner(archive, _owners(pieces))


def plan_for(root: Root, wanted: Wanted) -> Plan:
    plan = Plan([], {}, False)
    own = [piece for piece in wanted.pieces if piece.package_id == wanted.id]
    owners = _owners(wanted.pieces)
    folders = {_folder(piece.file) for piece in own if piece.file and _lies(root, piece.file)}
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
        plan.failed.update(_gone(root, own))
    return plan


def _owners(pieces: Iterable[Piece]) -> dict[str, int]:
    """The package of each file; of several the first."""
    owners: dict[str, int] = {}
    for piece in pieces:
        if piece.file:
            owners.setdefault(piece.file, piece.package_id)
    return owners


def _owner(archive: ArchiveSet, owners: Mapping[str, int]) -> int | None:
    return next((owners[file] for file in files_of(archive) if file in owners), None)


def _by_package(folder: Parts, there: set[str], pieces: Iterable[Piece]) -> list[dict[str, str]]:
    """For each package the names its files were sent with, and those they have on the disk."""
    packages: dict[int, dict[str, str]] = {}
    for piece in pieces:
        if piece.status != "finished" or not piece.file or _folder(piece.file) != folder:
            continue
        real, sent = piece.file.rpartition("/")[2], safe_name(piece.name)
        names = packages.setdefault(piece.package_id, {})
        # The same file twice in one package: the first to come has the name itself.
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
    missing: list[str], folder: Parts, own: list[Piece], all: Iterable[Piece]
) -> bool:
    """Before it is loaded a part may have any name; one of another package must have the right."""
    if any(piece.status in _COMING for piece in own):
        return True
    return any(
        piece.status in _COMING
        and safe_name(piece.name) in missing
        and to_parts(piece.target_dir) == folder
        for piece in all
    )


def _gone(root: Root, own: list[Piece]) -> dict[str, Problem]:
    """Archives that were loaded but lie there no more."""
    finished = [piece for piece in own if piece.status == "finished"]
    gone = [piece.name for piece in finished if not (piece.file and _lies(root, piece.file))]
    return {
        found.first: problem_of(AppError(404, "not_found", path=found.first))
        for found in find_sets(gone)
    }


def _lies(root: Root, file: str) -> bool:
    return root.exists(to_parts(file))


def _folder(file: str) -> Parts:
    return to_parts(file)[:-1]
