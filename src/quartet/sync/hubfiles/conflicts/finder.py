"""Finds conflict copies on the hub's disk; these functions block."""

import os
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
    return {path for path in paths if _seen(folder.files, path_parts(path)) is not None}


def shown_conflict(
    folder: FolderOnDisk, known: KnownConflict, maker: Maker | None
) -> Conflict | None:
    """Return None if the copy no longer exists."""
    copy = copy_of(known.copy_path)
    seen, copy_seen = _seen(folder.files, copy.of), _seen(folder.files, copy.parts)
    if copy_seen is None:
        return None
    return Conflict(
        path="/".join(copy.of),
        copy_path=known.copy_path,
        at=copy.at,
        made_by=maker,
        size=seen.st_size if seen else None,
        copy_size=copy_seen.st_size,
        modified_at=int(seen.st_mtime) if seen else None,
        copy_modified_at=int(copy_seen.st_mtime),
    )


def _seen(root: Root, parts: Parts) -> os.stat_result | None:
    """Return None for anything but a regular file."""
    try:
        with root.open(parts) as file:
            return os.fstat(file.fileno())
    except AppError:
        return None
