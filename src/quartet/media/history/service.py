import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from quartet.kernel.clock import now_ms
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError, Problem
from quartet.kernel.service import Kernel
from quartet.media.history import store
from quartet.media.history.types import (
    HistoryChanged,
    HistoryEntry,
    HistoryFile,
    HistoryImportPreview,
    HistoryPage,
    HistoryTitle,
    ImportedHistory,
    NotUndone,
    Undo,
    Undone,
    to_entry,
)
from quartet.media.history.undo import Undoer
from quartet.media.moves import store as moves_store
from quartet.media.moves.service import Moves
from quartet.media.moves.types import IsCancelled, Operation
from quartet.media.roots.service import Folders
from quartet.media.settings import MediaSettings

log = logging.getLogger("quartet.media.history")

# Called in the transaction that ends an undo.
Listener = Callable[[Tx, Sequence[Operation]], None]

FindTitles = Callable[[Any, Sequence[int]], dict[int, HistoryTitle]]


class History:
    def __init__(self, kernel: Kernel[MediaSettings], folders: Folders, moves: Moves) -> None:
        self._db = kernel.db
        self._folders = folders
        self._moves = moves
        self.listeners: list[Listener] = []
        # Set by the jobs, which know what their files were matched with.
        self.find_titles: FindTitles = lambda _conn, _ids: {}

    async def page(
        self, before: int | None, text: str, include_undone: bool, limit: int
    ) -> HistoryPage:
        rows = await self._db.read(store.page, before, text, include_undone, limit + 1)
        more = rows[limit - 1].id if len(rows) > limit else None
        job = rows[limit].job_id if more and not text else None
        continued = None
        if job is not None and rows[limit - 1].job_id == job:
            continued = await self._db.read(store.changes_of_job, job)
        return HistoryPage(await self._entries(rows[:limit]), more, continued)

    async def latest_files(self, limit: int) -> list[HistoryEntry]:
        return await self._entries(await self._db.read(store.latest_files, limit))

    async def _entries(self, rows: Sequence[Operation]) -> list[HistoryEntry]:
        ids = [row.item_id for row in rows if row.item_id is not None]
        titles = await self._db.read(self.find_titles, ids)
        return [to_entry(row, titles.get(row.item_id or 0)) for row in rows]

    async def undo(self, given: Undo) -> Undone:
        """Undo operations, newest first.

        Those that cannot be undone are returned with the reason.
        """
        if sum(value is not None for value in _selectors(given)) != 1:
            raise AppError(400, "one_selector")
        access = await self._folders.access()

        def work(stopping: IsCancelled) -> Undone:
            # Select here, because an operation that ran before may have changed the history.
            rows, refused = self._db.write_sync(partial(_chosen_with_junk, given))
            undoer = Undoer(self._db, access, stopping, now_ms)
            undoer.undo(rows)
            self._db.write_sync(partial(self._announce, undoer.undone))
            return Undone(len(undoer.undone), refused + undoer.failed)

        undone = await self._moves.run_exclusively(work)
        log.info("undo finished: %d files undone, %d not", undone.undone, len(undone.failed))
        return undone

    async def preview_filebot(self, given: HistoryFile) -> HistoryImportPreview:
        """Return what `import_filebot` would add, without changing anything."""
        # Imported here because hardly any start needs it.
        from quartet.media.history.filebot import filebot_moves
        from quartet.media.history.importing import HistoryImport, preview

        found = HistoryImport(await self._folders.access())
        rows = await asyncio.to_thread(lambda: found.operations(filebot_moves(given.xml)))
        targets = [row.target for row in rows]
        return preview(found, rows, await self._db.read(moves_store.moved_targets, targets))

    async def import_filebot(self, given: HistoryFile) -> ImportedHistory:
        """Add what FileBot renamed, so that it is found and can be undone."""
        from quartet.media.history.filebot import filebot_moves
        from quartet.media.history.importing import HistoryImport, add_new, summary

        access = await self._folders.access()

        def work(_stopping: IsCancelled) -> ImportedHistory:
            found = HistoryImport(access)
            rows = found.operations(filebot_moves(given.xml))
            return summary(found, rows, self._db.write_sync(lambda tx: add_new(tx, rows)))

        imported = await self._moves.run_exclusively(work)
        log.info("history of FileBot imported: %d files", imported.added)
        return imported

    def _announce(self, undone: Sequence[Operation], tx: Tx) -> None:
        for listener in self.listeners:
            listener(tx, undone)
        tx.emit(HistoryChanged())


def _selectors(given: Undo) -> tuple[object, ...]:
    return given.job_id, given.item_ids, given.operation_ids, given.since


def _chosen_with_junk(given: Undo, tx: Tx) -> tuple[list[Operation], list[NotUndone]]:
    """Return also the junk that was removed with the folders of the chosen files."""
    rows, refused = _chosen(given, tx)
    chosen = {row.id: row for row in rows}
    if given.item_ids is not None or given.operation_ids is not None:
        chosen |= {row.id: row for row in store.junk_removed_with(tx.conn, rows)}
    return [*chosen.values()], refused


def _chosen(given: Undo, tx: Tx) -> tuple[list[Operation], list[NotUndone]]:
    if given.job_id is not None:
        return store.done_of_job(tx.conn, given.job_id), []
    if given.item_ids is not None:
        return store.done_of_items(tx.conn, given.item_ids), []
    if given.since is not None:
        return store.done_since(tx.conn, given.since), []
    wanted = given.operation_ids or []
    rows = {row.id: row for row in store.by_ids(tx.conn, wanted)}
    refused = [
        NotUndone(id, Problem("nothing_to_undo").code)
        for id in dict.fromkeys(wanted)
        if id not in rows or rows[id].state != "done"
    ]
    return [row for row in rows.values() if row.state == "done"], refused
