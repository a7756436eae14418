"""Finds conflict copies on the hub's disk; these functions block."""

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from quartet.kernel.files.beneath import Parts
from quartet.kernel.files.errors import display_path
from quartet.sync.hubfiles import walk
from quartet.sync.hubfiles.conflicts.types import Conflict, KnownConflict, Maker
from quartet.sync.hubfiles.folder_on_disk import FolderOnDisk, path_parts
from quartet.sync.hubfiles.names import conflict_copy

# Limit per folder; a longer list would not help the user.
MOST_CONFLICTS = 1000


class ConflictCopy(NamedTuple):
    """A conflict copy and the file it is a copy of."""

    parts: Parts
    of: Parts
    at: int


def copy_of(path: str) -> ConflictCopy:
    parts = path_parts(path)
    copy = conflict_copy(parts[-1])
    if copy is None:
        raise AppError(404, "conflict_not_found", path=display_path(parts))
    return ConflictCopy(parts, path_parts("/".join((*parts[:-1], copy.name))), copy.at)


def is_copy(path: str) -> bool:
    return conflict_copy(path.rpartition("/")[2]) is not None


def search(folder: FolderOnDisk) -> set[str]:
    found = (each.path for each in walk.files(folder.files) if conflict_copy(each.entry.name))
    return set(islice(found, MOST_CONFLICTS))


def still_there(folder: FolderOnDisk, paths: Iterable[str]) -> set[str]:
    return {path for path in paths if _size(folder.files, path_parts(path)) is not None}


def shown_conflict(
    folder: FolderOnDisk, known: KnownConflict, maker: Maker | None
) -> Conflict | None:
    """Return None if the copy no longer exists."""
    copy = copy_of(known.copy_path)
    copy_size = _size(folder.files, copy.parts)
    if copy_size is None:
        return None
    return Conflict(
        path="/".join(copy.of),
        copy_path=known.copy_path,
        at=copy.at,
        made_by=maker,
        size=_size(folder.files, copy.of),
        copy_size=copy_size,
    )


def _size(root: Root, parts: Parts) -> int | None:
    """Return the size of a regular file, None for anything else."""
    try:
        with root.open(parts) as file:
            return file.seek(0, 2)
    except AppError:
        return None
