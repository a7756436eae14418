"""Replaced files and junk: listed, and deleted on request or when they are too old."""

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
from quartet.media.moves import store as moves_store
from quartet.media.moves.disk import Disk
from quartet.media.moves.service import Moves
from quartet.media.moves.types import IsCancelled, Operation
from quartet.media.roots.folder_access import FolderAccess
from quartet.media.roots.path_encoding import encode_path
from quartet.media.roots.service import Folders
from quartet.media.settings import MediaSettings
from quartet.media.types import LARGEST_ID

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
        access = await self._folders.access()
        shown = await asyncio.to_thread(self._to_api, access, rows[:limit])
        return BackupPage(shown, rows[limit - 1].id if len(rows) > limit else None)

    async def delete(self, id: int) -> None:
        """Delete a backup permanently. The file that replaced it can still be moved back."""
        access = await self._folders.access()

        def work(_stopping: IsCancelled) -> None:
            # Read it here, because an undo that ran before may have restored it.
            row = self._db.write_sync(lambda tx: store.backup(tx.conn, id))
            if row is None:
                raise AppError(404, "not_found", id=id)
            self._delete(access, row)

        if not 0 < id <= LARGEST_ID:
            raise AppError(404, "not_found", id=id)
        await self._moves.run_exclusively(work)

    async def expire(self) -> None:
        """Delete backups that are older than configured."""
        if not self._days:
            return
        access = await self._folders.access()
        await self._moves.run_exclusively(
            partial(self._expire, access, now_ms() - self._days * DAY_MS)
        )

    def _expire(self, access: FolderAccess, before_ms: int, stopping: IsCancelled) -> None:
        for row in self._db.write_sync(lambda tx: store.old_backups(tx.conn, before_ms)):
            if stopping():
                return
            try:
                self._delete(access, row)
            except (AppError, OSError) as error:
                log.warning("cannot delete backup %d: %s", row.id, error)

    def _delete(self, access: FolderAccess, row: Operation) -> None:
        disk = Disk()
        location = access.resolve(_path(row))
        access.require_present(location.root)
        disk.remove(location)
        if row.role == "junk":
            row.state = "expired"
            disk.remove_empty(location.parent)
        else:
            row.backup = None
        disk.forget()
        self._db.write_sync(partial(_save, row))

    def _to_api(self, access: FolderAccess, rows: Sequence[Operation]) -> list[Backup]:
        disk = Disk()
        shown = [self._backup(disk, access, row) for row in rows]
        disk.forget()
        return shown

    def _backup(self, disk: Disk, access: FolderAccess, row: Operation) -> Backup:
        seen = None
        with suppress(AppError, OSError):
            seen = disk.stat_if_exists(access.resolve(_path(row)))
        is_junk = row.role == "junk"
        return Backup(
            row.id,
            "junk" if is_junk else "replaced",
            encode_path(_path(row)),
            encode_path(row.source if is_junk else row.target),
            seen.st_size if seen else None,
            row.executed_at,
            row.executed_at + self._days * DAY_MS if self._days else None,
        )


def _path(row: Operation) -> str:
    return row.target if row.role == "junk" else row.backup or row.target


def _save(row: Operation, tx: Tx) -> None:
    moves_store.save(tx.conn, [row])
    tx.emit(HistoryChanged())
