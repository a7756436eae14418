"""Files that were replaced, and junk: listed, and deleted for good when asked or old."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from quartet.kernel.clock import now_ms
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel
from quartet.media.history import store
from quartet.media.history.types import Backup, BackupPage, HistoryChanged
from quartet.media.ids import LARGEST_ID
from quartet.media.moves import store as moves_store
from quartet.media.moves.disk import Disk
from quartet.media.moves.service import Moves
from quartet.media.moves.types import Cancelled, Operation
from quartet.media.roots.places import Places
from quartet.media.roots.service import Folders
from quartet.media.roots.texts import path_text
from quartet.media.settings import MediaSettings

log = logging.getLogger("quartet.media.history")

DAY_MS = 24 * 3600 * 1000


class Backups:
    def __init__(self, kernel: Kernel[MediaSettings], folders: Folders, moves: Moves) -> None:
        self._db = kernel.db
        self._days = kernel.settings.backup_days
        self._folders = folders
        self._moves = moves

    async def page(self, before: int | None, limit: int) -> BackupPage:
        rows = await self._db.read(store.backups, before, limit + 1)
        places = await self._folders.places()
        shown = await asyncio.to_thread(self._shown, places, rows[:limit])
        return BackupPage(shown, rows[limit - 1].id if len(rows) > limit else None)

    async def delete(self, id: int) -> None:
        """For good; what replaced it can still be moved back afterwards."""
        places = await self._folders.places()

        def work(_stopping: Cancelled) -> None:
            # Read when it is our turn: an undo before us may have put it back.
            row = self._db.write_sync(lambda tx: store.backup(tx.conn, id))
            if row is None:
                raise AppError(404, "not_found", id=id)
            self._delete(places, row)

        if not 0 < id <= LARGEST_ID:
            raise AppError(404, "not_found", id=id)
        await self._moves.alone(work)

    async def expire(self) -> None:
        """Deletes what is older than the settings say."""
        if not self._days:
            return
        places = await self._folders.places()
        await self._moves.alone(partial(self._expire, places, now_ms() - self._days * DAY_MS))

    def _expire(self, places: Places, before_ms: int, stopping: Cancelled) -> None:
        for row in self._db.write_sync(lambda tx: store.old_backups(tx.conn, before_ms)):
            if stopping():
                return
            try:
                self._delete(places, row)
            except (AppError, OSError) as error:
                log.warning("backup %d stays for now: %s", row.id, error)

    def _delete(self, places: Places, row: Operation) -> None:
        disk = Disk()
        spot = places.spot(_path(row))
        places.require_present(spot.root)
        disk.remove(spot)
        if row.role == "junk":
            row.state = "expired"
            disk.remove_empty(spot.parent)
        else:
            row.backup = None
        disk.forget()
        self._db.write_sync(partial(_save, row))

    def _shown(self, places: Places, rows: Sequence[Operation]) -> list[Backup]:
        disk = Disk()
        shown = [self._backup(disk, places, row) for row in rows]
        disk.forget()
        return shown

    def _backup(self, disk: Disk, places: Places, row: Operation) -> Backup:
        seen = None
        with suppress(AppError, OSError):
            seen = disk.look(places.spot(_path(row)))
        is_junk = row.role == "junk"
        return Backup(
            row.id,
            "junk" if is_junk else "replaced",
            path_text(_path(row)),
            path_text(row.source if is_junk else row.target),
            seen.st_size if seen else None,
            row.executed_at,
            row.executed_at + self._days * DAY_MS if self._days else None,
        )


def _path(row: Operation) -> str:
    return row.target if row.role == "junk" else row.backup or row.target


def _save(row: Operation, tx: Tx) -> None:
    moves_store.save(tx.conn, [row])
    tx.emit(HistoryChanged())
