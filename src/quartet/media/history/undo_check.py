"""Checks whether an operation can be undone, before the disk is changed."""

from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from quartet.media.moves.copying import digest_of
from quartet.media.moves.disk import Disk, Identity, identity
from quartet.media.moves.file_operations import MovePaths
from quartet.media.moves.generated_names import temporary_name
from quartet.media.moves.types import Operation
from quartet.media.roots.folder_access import FolderAccess, RootedPath
from quartet.media.roots.path_encoding import encode_path

# Files up to this size are read again if their digest is known.
MAX_DIGEST_BYTES = 16 * 1024 * 1024


def undo_paths(
    disk: Disk, access: FolderAccess, row: Operation, leaving_paths: set[str], present: set[Root]
) -> MovePaths:
    """Return the paths of the undo; names in `leaving_paths` will be free by then.

    `present` remembers the folders whose disks are there.
    """
    source, target = access.resolve(row.source), access.resolve(row.target)
    for root in {source.root, target.root} - present:
        access.require_present(root)
        present.add(root)
    device = _require_unchanged(disk, target, row)
    if row.backup and disk.stat_if_exists(access.resolve(row.backup)) is None:
        raise AppError(409, "backup_missing", path=encode_path(row.backup))
    if row.role == "artwork":
        # It is deleted, so its old name is not needed.
        return MovePaths(target, source)
    if row.action != "move":
        _require_other_copy(disk, source, target, row)
        return MovePaths(target, source)
    if source.path not in leaving_paths and disk.stat_if_exists(source):
        raise AppError(409, "source_taken", path=encode_path(source.path))
    across = disk.device(source.parent) != device
    return MovePaths(
        target, source, temporary=source.with_name(temporary_name()) if across else None
    )


def _require_unchanged(disk: Disk, target: RootedPath, row: Operation) -> int:
    """Return the device of the file."""
    seen = disk.stat_if_exists(target)
    if seen is None:
        raise AppError(404, "file_missing", path=encode_path(target.path))
    if identity(seen) != Identity(row.size, row.mtime_ns, row.inode):
        raise AppError(409, "changed_since", path=encode_path(target.path))
    if row.digest and row.size <= MAX_DIGEST_BYTES and digest_of(disk, target) != row.digest:
        raise AppError(409, "changed_since", path=encode_path(target.path))
    return seen.st_dev


def _require_other_copy(disk: Disk, source: RootedPath, target: RootedPath, row: Operation) -> None:
    """Undoing a copy deletes it, so it must not be the only one left."""
    original, copy = disk.stat_if_exists(source), disk.stat_if_exists(target)
    links = copy.st_nlink if copy and row.action == "hardlink" else 2
    if original is None or original.st_size != row.size or links < 2:
        raise AppError(409, "last_copy", path=encode_path(target.path))
