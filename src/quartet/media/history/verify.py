"""Whether an operation can be undone, before anything is touched."""

from quartet.kernel.errors import AppError
from quartet.media.moves.acts import Route
from quartet.media.moves.copying import digest_of
from quartet.media.moves.disk import Disk, Identity, identity
from quartet.media.moves.names import temporary_name
from quartet.media.moves.types import Operation
from quartet.media.roots.places import Places, Spot
from quartet.media.roots.texts import path_text

# A file up to this size is read again where its digest is known.
CHEAP = 16 * 1024 * 1024


def verified(disk: Disk, places: Places, row: Operation, leaving: set[str]) -> Route:
    """The way back; names in `leaving` will be free when it is its turn."""
    source, target = places.spot(row.source), places.spot(row.target)
    for spot in (source, target):
        places.require_present(spot.root)
    device = _require_unchanged(disk, target, row)
    if row.backup and disk.look(places.spot(row.backup)) is None:
        raise AppError(409, "backup_missing", path=path_text(row.backup))
    if row.action != "move":
        _require_other_copy(disk, source, target, row)
        return Route(target, source)
    if source.path not in leaving and disk.look(source):
        raise AppError(409, "source_taken", path=path_text(source.path))
    across = disk.device(source.parent) != device
    return Route(target, source, temporary=source.beside(temporary_name()) if across else None)


def _require_unchanged(disk: Disk, target: Spot, row: Operation) -> int:
    """Gives the disk it is on."""
    seen = disk.look(target)
    if seen is None:
        raise AppError(404, "file_missing", path=path_text(target.path))
    if identity(seen) != Identity(row.size, row.mtime_ns, row.inode):
        raise AppError(409, "changed_since", path=path_text(target.path))
    if row.digest and row.size <= CHEAP and digest_of(disk, target) != row.digest:
        raise AppError(409, "changed_since", path=path_text(target.path))
    return seen.st_dev


def _require_other_copy(disk: Disk, source: Spot, target: Spot, row: Operation) -> None:
    """Undoing a copy deletes it, and it may have become the only one."""
    original, copy = disk.look(source), disk.look(target)
    links = copy.st_nlink if copy and row.action == "hardlink" else 2
    if original is None or original.st_size != row.size or links < 2:
        raise AppError(409, "last_copy", path=path_text(target.path))
