"""Conflict copies on the hub's disk; these functions block."""

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from quartet.kernel.files.beneath import Parts
from quartet.kernel.files.errors import display_path
from quartet.sync.hubfiles import walk
from quartet.sync.hubfiles.conflicts.types import Conflict, Known, Maker
from quartet.sync.hubfiles.names import conflict_copy
from quartet.sync.hubfiles.places import FolderOnDisk, parts_of

# A folder with more has another problem than the ones beyond.
MOST_CONFLICTS = 1000


class Copy(NamedTuple):
    """A conflict copy and the file it is a copy of."""

    parts: Parts
    of: Parts
    at: int


def copy_of(path: str) -> Copy:
    parts = parts_of(path)
    copy = conflict_copy(parts[-1])
    if copy is None:
        raise AppError(404, "conflict_not_found", path=display_path(parts))
    return Copy(parts, parts_of("/".join((*parts[:-1], copy.name))), copy.at)


def is_copy(path: str) -> bool:
    return conflict_copy(path.rpartition("/")[2]) is not None


def search(folder: FolderOnDisk) -> set[str]:
    found = (each.path for each in walk.files(folder.files) if conflict_copy(each.entry.name))
    return set(islice(found, MOST_CONFLICTS))


def still_there(folder: FolderOnDisk, paths: Iterable[str]) -> set[str]:
    return {path for path in paths if _size(folder.files, parts_of(path)) is not None}


def shown_conflict(folder: FolderOnDisk, known: Known, maker: Maker | None) -> Conflict | None:
    """Nothing when the copy has gone meanwhile."""
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
    """Of a file; a link, a pipe or a folder is none."""
    try:
        with root.open(parts) as file:
            return file.seek(0, 2)
    except AppError:
        return None
