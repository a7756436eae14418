"""Confirms finished files to survive a power cut, without making downloads wait for the disk.

A file is moved to its path as soon as its bytes are in the page cache, and is synced a moment
later. If the machine goes down before that, the file may be damaged and is fetched again.
"""

import asyncio
import os
from functools import cache
from pathlib import Path

from quartet.downloads.queue.batcher import BatchedWrites
from quartet.downloads.queue.finish import store
from quartet.downloads.queue.finish.done_folder import DoneFolder
from quartet.downloads.queue.finish.store import Unsynced
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError

AT_ONCE = 200
_BOOT = Path("/proc/sys/kernel/random/boot_id")


@cache
def this_boot() -> str:
    """Return the boot id, or a constant where the system has none."""
    return _BOOT.read_text().strip() if _BOOT.exists() else "unknown"


class FsyncQueue:
    def __init__(self, db: Database, writes: BatchedWrites, done: DoneFolder) -> None:
        self._db = db
        self._writes = writes
        self._done = done

    async def sync_all(self) -> bool:
        """Sync all unconfirmed files; return whether some must be fetched again."""
        any_unsafe = False
        while found := await self._db.read(store.unsynced, AT_ONCE):
            unsafe = [each for each in found if each.boot != this_boot()]
            current = [each for each in found if each.boot == this_boot()]
            refused = await asyncio.to_thread(self._sync, current)
            synced = [each.id for each in current if each not in refused]
            unsafe += refused
            gone = await asyncio.to_thread(self._remove, unsafe)
            await self._store_result(synced + gone, [each.id for each in unsafe])
            any_unsafe = any_unsafe or bool(unsafe)
        return any_unsafe

    async def _store_result(self, synced: list[int], unsafe: list[int]) -> None:
        def work(tx: Tx) -> None:
            store.mark_synced(tx.conn, synced)
            store.requeue(tx.conn, [id for id in unsafe if id not in synced])

        await self._writes.do(work, unsafe)

    def _remove(self, files: list[Unsynced]) -> list[int]:
        """Remove files; return the ids of those that the user has moved away."""
        gone = []
        for each in files:
            try:
                self._done.root.remove(each.file or "")
            except AppError:
                gone.append(each.id)
        return gone

    def _sync(self, files: list[Unsynced]) -> list[Unsynced]:
        """Sync files; return those the disk failed to write."""
        refused = []
        for each in files:
            try:
                with self._done.root.open(each.file or "") as opened:
                    os.fdatasync(opened.fileno())
            except AppError:
                continue  # moved away by the user
            except OSError:
                refused.append(each)
        for folder in {(each.file or "").rpartition("/")[0] for each in files}:
            self._done.sync_folder(folder)
        return refused
