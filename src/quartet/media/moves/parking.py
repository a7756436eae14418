"""What is put right after something went wrong halfway; also after a crash."""

from contextlib import suppress

from quartet.kernel.errors import AppError
from quartet.media.moves.disk import Disk
from quartet.media.moves.names import MOST_NUMBERS, numbered
from quartet.media.moves.types import Operation
from quartet.media.roots.places import Places, Spot


def bring_back(disk: Disk, places: Places, operation: Operation) -> Spot | None:
    """Undoes the steps before the last one. Where a parked file had to go, if not back home."""
    if operation.backup:
        _put_back(disk, places.spot(operation.backup), places.spot(operation.target))
        if disk.look(places.spot(operation.backup)) is None:
            operation.backup = None
    if not operation.parked:
        return None
    near = unpark(disk, places.spot(operation.parked), places.spot(operation.source))
    if near:
        operation.target = near.path
    return near


def unpark(disk: Disk, parked: Spot, home: Spot) -> Spot | None:
    """Where a waiting file had to go because its old name is taken; nothing if it is home."""
    if disk.look(parked) is None or _put_back(disk, parked, home):
        return None
    for number in range(1, MOST_NUMBERS):
        near = home.beside(numbered(home.name, number))
        if _put_back(disk, parked, near):
            return near
    return None


def _put_back(disk: Disk, waiting: Spot, home: Spot) -> bool:
    with suppress(AppError, OSError):
        disk.rename(waiting, home)
        return True
    return False
