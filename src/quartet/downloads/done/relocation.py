"""Moves the finished files of a package after its target folder was changed."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from quartet.downloads.archives.types import Parts
from quartet.downloads.done import editing, store
from quartet.downloads.done.listing import text_of
from quartet.downloads.done.types import FolderChange
from quartet.downloads.events import Changed
from quartet.downloads.extraction.current import CurrentExtraction
from quartet.downloads.queue.finish.done_folder import DoneFolder
from quartet.downloads.settings import DownloadsSettings
from quartet.downloads.signal import Signal
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.kernel.files import TEMPORARY_PREFIX
from quartet.kernel.files.paths import to_parts
from quartet.kernel.service import Kernel

log = logging.getLogger("quartet.downloads.packages")


class Relocation:
    """`on_moved` is called when the files of a package are complete in the new folder."""

    def __init__(
        self,
        kernel: Kernel[DownloadsSettings],
        done: DoneFolder,
        current: CurrentExtraction,
        on_moved: Callable[[], None],
    ) -> None:
        self._db = kernel.db
        self._done = done
        self._current = current
        self._on_moved = on_moved
        # Set when a folder was changed.
        self.changed = Signal()

    async def run_once(self) -> bool:
        """Move what can be moved now; return whether files are left for later."""
        left = [await self._relocate(each) for each in await self._db.read(store.folder_changes)]
        return any(left)

    async def _relocate(self, change: FolderChange) -> bool:
        try:
            async with self._current.edits:
                for former in change.moved_from:
                    await self._move_files(change, former)
        except AppError as error:
            # Its archive is being extracted, or the disk is full: try again later.
            log.debug("package %d keeps files in its former folder: %s", change.id, error)
            return True
        return not await self._db.write(self._finish, change)

    def _finish(self, tx: Tx, change: FolderChange) -> bool:
        """Forget the former folders, unless a download is just being moved to one of them."""
        if not store.finish_folder_change(tx.conn, change):
            return False
        tx.emit(Changed("downloads"))
        tx.emit(Changed("files"))
        tx.after_commit(self._on_moved)
        log.info("package %d: files moved to folder %s", change.id, change.target_dir or ".")
        return True

    async def _move_files(self, change: FolderChange, former: str) -> None:
        old, new = to_parts(former), to_parts(change.target_dir)
        if old:
            self._current.require_untouched(old)
        if new:
            self._current.require_untouched(new)
        kept = await self._db.read(store.others_in_folder, change.id, former)
        own = await self._db.read(store.finished_files, change.id, former)
        paths = own if former in kept or not old else await self._entries(old)
        for path in paths:
            if not _leads_to(path, [change.target_dir, *kept]):
                await self._move(path, new)
        await asyncio.to_thread(self._remove_if_empty, old)

    async def _entries(self, folder: Parts) -> list[str]:
        """Return everything in the folder: finished files and what was extracted from them."""

        def work() -> list[str]:
            with suppress(AppError):
                return [
                    text_of((*folder, entry.name))
                    for entry in self._done.root.list(folder)
                    if not entry.name.startswith(TEMPORARY_PREFIX)
                ]
            return []

        return await asyncio.to_thread(work)

    async def _move(self, path: str, folder: Parts) -> None:
        def work() -> Parts:
            if folder:
                self._done.root.make_folder(folder)
            return editing.move_into(self._done.root, to_parts(path), folder)

        try:
            new = await asyncio.to_thread(work)
        except AppError as error:
            if error.code != "not_found":
                raise
            # The user has removed the file.
            await self._db.write(lambda tx: store.deleted(tx.conn, path))
            return
        await self._db.write(lambda tx: store.moved(tx.conn, path, text_of(new)))

    def _remove_if_empty(self, folder: Parts) -> None:
        while folder:
            try:
                self._done.root.remove_folder(folder)
            except AppError:
                return
            folder = folder[:-1]


def _leads_to(path: str, folders: list[str]) -> bool:
    """Return whether one of the folders is this path or inside it."""
    return any(f"{folder}/".startswith(f"{path}/") for folder in folders)
