"""Replaced files and junk: listed, and deleted on request or when they are too old."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from quartet.kernel.batches import in_batches
from quartet.kernel.clock import now_ms
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel
from quartet.media.history import store
from quartet.media.history.types import (
    Backup,
    BackupPage,
    ChosenBackups,
    DeletedBackups,
    HistoryChanged,
    NotDeleted,
)
from quartet.media.moves import store as moves_store
from quartet.media.moves.disk import Disk
from quartet.media.moves.disk_errors import problem_from
from quartet.media.moves.service import Moves
from quartet.media.moves.types import IsCancelled, Operation
from quartet.media.roots.folder_access import FolderAccess
from quartet.media.roots.path_encoding import encode_path
from quartet.media.roots.service import Folders
from quartet.media.settings import DAY_MS, MediaSettings
from quartet.media.types import LARGEST_ID

log = logging.getLogger("quartet.media.history")

BATCH = 500


class Backups:
    def __init__(self, kernel: Kernel[MediaSettings], folders: Folders, moves: Moves) -> None:
        self._db = kernel.db
        self._replaced_ms = kernel.settings.backup_days * DAY_MS
        self._junk_ms = kernel.settings.junk_ms
        self._folders = folders
        self._moves = moves

    async def page(self, before: int | None, limit: int) -> BackupPage:
        rows = await self._db.read(store.backups, before, limit + 1)
        access = await self._folders.access()
        shown = await asyncio.to_thread(self._to_api, access, rows[:limit])
        return BackupPage(shown, rows[limit - 1].id if len(rows) > limit else None)

    async def delete(self, id: int) -> None:
        """Delete a backup permanently. The file that replaced it can still be moved back."""
        if not 0 < id <= LARGEST_ID:
            raise AppError(404, "not_found", id=id)
        deleted = await self._delete_chosen(lambda tx: store.backups_with(tx.conn, [id]))
        if deleted.failed:
            failed = deleted.failed[0]
            raise AppError(409, failed.code, **failed.inputs)
        if not deleted.deleted:
            raise AppError(404, "not_found", id=id)

    async def delete_many(self, given: ChosenBackups) -> DeletedBackups:
        """Delete backups permanently, and return those that could not be deleted."""
        return await self._delete_chosen(lambda tx: store.backups_with(tx.conn, given.ids))

    async def expire(self) -> None:
        """Delete old junk, and replaced files that are older than configured."""
        now = now_ms()

        def old(tx: Tx) -> list[Operation]:
            rows = store.old_junk(tx.conn, now - self._junk_ms)
            if self._replaced_ms:
                rows += store.old_replaced(tx.conn, now - self._replaced_ms)
            return rows

        await self._delete_chosen(old)

    async def _delete_chosen(self, choose: Callable[[Tx], list[Operation]]) -> DeletedBackups:
        access = await self._folders.access()

        def work(stopping: IsCancelled) -> DeletedBackups:
            # Choose here, because an undo that ran before may have restored some of them.
            return self._delete_all(access, self._db.write_sync(choose), stopping)

        return await self._moves.run_exclusively(work)

    def _delete_all(
        self, access: FolderAccess, rows: Sequence[Operation], stopping: IsCancelled
    ) -> DeletedBackups:
        disk = Disk()
        deleted, failed = 0, list[NotDeleted]()
        for some in in_batches(rows, BATCH):
            if stopping():
                break
            gone: list[Operation] = []
            for row in some:
                try:
                    _delete(disk, access, row)
                    gone.append(row)
                except (AppError, OSError) as error:
                    problem = problem_from(error, _path(row))
                    failed.append(NotDeleted(row.id, problem.code, problem.inputs))
            disk.forget()
            if gone:
                self._db.write_sync(partial(_save, gone))
            deleted += len(gone)
        if deleted:
            log.info("%d backups deleted", deleted)
        if failed:
            log.warning("%d backups cannot be deleted, first: %s", len(failed), failed[0].code)
        return DeletedBackups(deleted, failed)

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
        kept_ms = self._junk_ms if is_junk else self._replaced_ms
        return Backup(
            row.id,
            "junk" if is_junk else "replaced",
            encode_path(_path(row)),
            encode_path(row.source if is_junk else row.target),
            seen.st_size if seen else None,
            row.executed_at,
            row.executed_at + kept_ms if kept_ms else None,
        )


def _delete(disk: Disk, access: FolderAccess, row: Operation) -> None:
    location = access.resolve(_path(row))
    access.require_present(location.root)
    disk.remove(location)
    if row.role == "junk":
        row.state = "expired"
        disk.remove_empty(location.parent)
    else:
        row.backup = None


def _path(row: Operation) -> str:
    return row.target if row.role == "junk" else row.backup or row.target


def _save(rows: Sequence[Operation], tx: Tx) -> None:
    moves_store.save(tx.conn, rows)
    tx.emit(HistoryChanged())
