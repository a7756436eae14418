"""Reconciles the journal with the disk after a crash, finishing or undoing partial operations."""

import logging
import os
from contextlib import suppress
from functools import partial

from quartet.kernel.clock import now_ms
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError, Problem
from quartet.media.moves import store
from quartet.media.moves.disk import Disk, identity
from quartet.media.moves.disk_errors import problem_from
from quartet.media.moves.resume import FileLocation, Resumer
from quartet.media.moves.rollback import roll_back, unpark
from quartet.media.moves.types import Operation
from quartet.media.roots import store as roots_store
from quartet.media.roots.folder_access import FolderAccess
from quartet.media.roots.path_encoding import encode_path

log = logging.getLogger("quartet.media.moves")


def reconcile(db: Database) -> int:
    """Return the number of rows that were reconciled."""
    with db.engine.connect() as conn:
        rows = store.unfinished(conn)
        access = FolderAccess(roots_store.all_folders(conn))
    disk = Disk()
    reconciled = [row for row in rows if _reconcile_row(disk, access, row)]
    if reconciled:
        log.warning("reconciled %d interrupted file operations", len(reconciled))
        db.write_sync(partial(_save, disk, access, reconciled))
    disk.forget()
    return len(reconciled)


def _save(disk: Disk, access: FolderAccess, rows: list[Operation], tx: Tx) -> None:
    for row in rows:
        if (
            row.state == "undone"
            and row.temporary
            and (earlier := store.previous_operation(tx.conn, row))
        ):
            update_copy_inode(disk, access, row, earlier)
            store.save(tx.conn, [earlier])
    store.save(tx.conn, rows)


def _reconcile_row(disk: Disk, access: FolderAccess, row: Operation) -> bool:
    """Return False if the disk is missing, to retry at the next start."""
    try:
        for path in (row.source, row.target):
            access.require_present(access.resolve(path).root)
        _remove_leftover_links(disk, access, row)
        if row.state == "intended":
            reconcile_intended(disk, access, row)
        else:
            reconcile_undoing(disk, access, row)
    except (AppError, OSError) as error:
        problem = problem_from(error, row.source)
        if problem.code in ("folder_missing", "folder_not_mounted"):
            log.warning("operation %d not reconciled: its folder is missing", row.id)
            return False
        row.state, row.error = "failed", problem
    return True


def _remove_leftover_links(disk: Disk, access: FolderAccess, row: Operation) -> None:
    """Where a rename is a link and an unlink, the crash may have left both names."""
    for ours, names in ((row.parked, (row.source, row.target)), (row.backup, (row.target,))):
        if not ours or not (seen := disk.stat_if_exists(access.resolve(ours))) or seen.st_nlink < 2:
            continue
        others = [disk.stat_if_exists(access.resolve(name)) for name in names]
        if any(other and os.path.samestat(seen, other) for other in others):
            disk.remove(access.resolve(ours))


def reconcile_intended(disk: Disk, access: FolderAccess, row: Operation) -> None:
    resumer = Resumer(disk, access, row, row.source, row.target)
    # If the planned backup does not exist, the target is still the old file.
    begun = row.backup is None or disk.stat_if_exists(access.resolve(row.backup)) is not None
    where = (
        resumer.move(may_be_ours=begun) if row.action == "move" else resumer.copy(may_be_ours=begun)
    )
    if where == "end":
        _record_target_identity(disk, access, row)
        row.state = "done"
        return
    moved = roll_back(disk, access, row)
    row.state = "done" if moved else "failed"
    row.error = _problem_for(row, where)
    if not moved:
        for path in reversed(row.created_folders):
            disk.remove_empty(access.resolve(path))


def reconcile_undoing(disk: Disk, access: FolderAccess, row: Operation) -> None:
    resumer = Resumer(disk, access, row, row.target, row.source)
    where: FileLocation = "start" if resumer.copy_is_at_start() else "end"
    if row.action == "move" and row.role != "artwork":
        where = resumer.move(may_be_ours=True)
    if where == "end":
        restore_backup(disk, access, row)
        row.state, row.undone_at = "undone", now_ms()
        return
    if row.parked:
        fallback = unpark(disk, access.resolve(row.parked), access.resolve(row.target))
        row.target = fallback.path if fallback else row.target
    row.state = "failed" if where == "lost" else "done"
    row.error = _problem_for(row, where)
    row.parked = row.temporary = None


def restore_backup(disk: Disk, access: FolderAccess, row: Operation) -> None:
    """Move the replaced file back."""
    if row.backup:
        backup = access.resolve(row.backup)
        with suppress(AppError, OSError):
            disk.rename(backup, access.resolve(row.target))
        if disk.stat_if_exists(backup) is None:
            row.backup = None


def update_copy_inode(
    disk: Disk, access: FolderAccess, undone: Operation, earlier: Operation
) -> None:
    """A file copied back has a new inode; update it in the earlier operation."""
    seen = disk.stat_if_exists(access.resolve(undone.source))
    if seen and identity(seen)[:2] == (earlier.size, earlier.mtime_ns):
        earlier.inode = identity(seen).inode


def _record_target_identity(disk: Disk, access: FolderAccess, row: Operation) -> None:
    seen = disk.stat_if_exists(access.resolve(row.target))
    if seen and (row.temporary or row.action == "hardlink"):
        row.size, row.mtime_ns, row.inode = identity(seen)


def _problem_for(row: Operation, where: FileLocation) -> Problem:
    name = os.path.basename(row.source)  # noqa: PTH119 - keeps any bytes
    if where == "lost":
        return Problem("file_missing", {"path": encode_path(name)})
    return Problem("interrupted", {"path": encode_path(name)})
