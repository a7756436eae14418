"""After a crash: every row of the journal becomes true, and what was half done whole or undone."""

import logging
import os
from contextlib import suppress
from functools import partial

from quartet.kernel.clock import now_ms
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError, Problem
from quartet.media.moves import store
from quartet.media.moves.disk import Disk, identity
from quartet.media.moves.faults import problem_from
from quartet.media.moves.parking import bring_back, unpark
from quartet.media.moves.resume import Resumer, Where
from quartet.media.moves.types import Operation
from quartet.media.roots import store as roots_store
from quartet.media.roots.places import Places
from quartet.media.roots.texts import path_text

log = logging.getLogger("quartet.media.moves")


def reconcile(db: Database) -> int:
    """Gives the number of rows that were open."""
    with db.engine.connect() as conn:
        rows = store.unfinished(conn)
        places = Places(roots_store.all_folders(conn))
    disk = Disk()
    settled = [row for row in rows if _settle(disk, places, row)]
    if settled:
        log.warning("settled %d file operations that were interrupted", len(settled))
        db.write_sync(partial(_save, disk, places, settled))
    disk.forget()
    return len(settled)


def _save(disk: Disk, places: Places, rows: list[Operation], tx: Tx) -> None:
    for row in rows:
        if row.state == "undone" and row.temporary and (earlier := store.before(tx.conn, row)):
            know_copy_again(disk, places, row, earlier)
            store.save(tx.conn, [earlier])
    store.save(tx.conn, rows)


def _settle(disk: Disk, places: Places, row: Operation) -> bool:
    """False leaves it for a start at which the disk is there."""
    try:
        for path in (row.source, row.target):
            places.require_present(places.spot(path).root)
        _remove_second_names(disk, places, row)
        if row.state == "intended":
            settle_intended(disk, places, row)
        else:
            settle_undoing(disk, places, row)
    except (AppError, OSError) as error:
        problem = problem_from(error, row.source)
        if problem.code in ("folder_missing", "folder_not_mounted"):
            log.warning("operation %d waits for its folder", row.id)
            return False
        row.state, row.error = "failed", problem
    return True


def _remove_second_names(disk: Disk, places: Places, row: Operation) -> None:
    """On some disks a link and an unlink stand for a rename, and only the link was made."""
    for ours, names in ((row.parked, (row.source, row.target)), (row.backup, (row.target,))):
        if not ours or not (seen := disk.look(places.spot(ours))) or seen.st_nlink < 2:
            continue
        others = [disk.look(places.spot(name)) for name in names]
        if any(other and os.path.samestat(seen, other) for other in others):
            disk.remove(places.spot(ours))


def settle_intended(disk: Disk, places: Places, row: Operation) -> None:
    resumer = Resumer(disk, places, row, row.source, row.target)
    # With a backup planned but not made, what lies at the target is still the old file.
    begun = row.backup is None or disk.look(places.spot(row.backup)) is not None
    where = (
        resumer.move(may_be_ours=begun) if row.action == "move" else resumer.copy(may_be_ours=begun)
    )
    if where == "there":
        _know_again(disk, places, row)
        row.state = "done"
        return
    moved = bring_back(disk, places, row)
    row.state = "done" if moved else "failed"
    row.error = _why(row, where)
    if not moved:
        for path in reversed(row.created_folders):
            disk.remove_empty(places.spot(path))


def settle_undoing(disk: Disk, places: Places, row: Operation) -> None:
    resumer = Resumer(disk, places, row, row.target, row.source)
    where: Where = "here" if resumer.copy_is_here() else "there"
    if row.action == "move":
        where = resumer.move(may_be_ours=True)
    if where == "there":
        restore_backup(disk, places, row)
        row.state, row.undone_at = "undone", now_ms()
        return
    if row.parked:
        near = unpark(disk, places.spot(row.parked), places.spot(row.target))
        row.target = near.path if near else row.target
    row.state = "failed" if where == "lost" else "done"
    row.error = _why(row, where)
    row.parked = row.temporary = None


def restore_backup(disk: Disk, places: Places, row: Operation) -> None:
    """What was replaced is back where it was."""
    if row.backup:
        backup = places.spot(row.backup)
        with suppress(AppError, OSError):
            disk.rename(backup, places.spot(row.target))
        if disk.look(backup) is None:
            row.backup = None


def know_copy_again(disk: Disk, places: Places, undone: Operation, earlier: Operation) -> None:
    """Copied back it is another file for the disk, and what was done before must still know it."""
    seen = disk.look(places.spot(undone.source))
    if seen and identity(seen)[:2] == (earlier.size, earlier.mtime_ns):
        earlier.inode = identity(seen).inode


def _know_again(disk: Disk, places: Places, row: Operation) -> None:
    seen = disk.look(places.spot(row.target))
    if seen and (row.temporary or row.action == "hardlink"):
        row.size, row.mtime_ns, row.inode = identity(seen)


def _why(row: Operation, where: Where) -> Problem:
    name = os.path.basename(row.source)  # noqa: PTH119 - keeps any bytes
    if where == "lost":
        return Problem("file_missing", {"path": path_text(name)})
    return Problem("interrupted", {"path": path_text(name)})
