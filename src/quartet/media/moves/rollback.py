"""Undoes the first steps of a move that failed or was interrupted."""

from contextlib import suppress

from quartet.kernel.errors import AppError
from quartet.media.moves.disk import Disk
from quartet.media.moves.generated_names import MOST_NUMBERS, numbered
from quartet.media.moves.types import Operation
from quartet.media.roots.folder_access import FolderAccess, RootedPath


def roll_back(disk: Disk, access: FolderAccess, operation: Operation) -> RootedPath | None:
    """Undo the steps before the last one.

    Return where a parked file went if its old name is taken.
    """
    if operation.backup:
        _try_rename(disk, access.resolve(operation.backup), access.resolve(operation.target))
        if disk.stat_if_exists(access.resolve(operation.backup)) is None:
            operation.backup = None
    if not operation.parked:
        return None
    fallback = unpark(disk, access.resolve(operation.parked), access.resolve(operation.source))
    if fallback:
        operation.target = fallback.path
    return fallback


def unpark(disk: Disk, parked: RootedPath, original: RootedPath) -> RootedPath | None:
    """Return where a parked file had to go because its old name is taken; otherwise None."""
    if disk.stat_if_exists(parked) is None or _try_rename(disk, parked, original):
        return None
    for number in range(1, MOST_NUMBERS):
        fallback = original.with_name(numbered(original.name, number))
        if _try_rename(disk, parked, fallback):
            return fallback
    return None


def _try_rename(disk: Disk, waiting: RootedPath, original: RootedPath) -> bool:
    with suppress(AppError, OSError):
        disk.rename(waiting, original)
        return True
    return False
