"""Makes finished files last through a power cut, without letting anybody wait for the disk.

A file is moved to its place when its bytes are there, in the memory of the system at least. The
disk confirms them a moment later; if the machine goes down before, nobody knows what it wrote, and
the file is fetched once more.
"""

import asyncio
import os
from functools import cache
from pathlib import Path

from quartet.downloads.queue import store_syncs as store
from quartet.downloads.queue.finishing import DoneFolder
from quartet.downloads.queue.store_syncs import Unsynced
from quartet.downloads.queue.writes import Writes
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError

AT_ONCE = 200
_BOOT = Path("/proc/sys/kernel/random/boot_id")


@cache
def this_boot() -> str:
    """Another one after each start of the machine; always the same where that is not told."""
    return _BOOT.read_text().strip() if _BOOT.exists() else "unknown"


class Syncing:
    def __init__(self, db: Database, writes: Writes, done: DoneFolder) -> None:
        self._db = db
        self._writes = writes
        self._done = done

    async def all(self) -> bool:
        """Whether some must be fetched once more."""
        doubts = False
        while found := await self._db.read(store.unsynced, AT_ONCE):
            doubtful = [each for each in found if each.boot != this_boot()]
            certain = [each for each in found if each.boot == this_boot()]
            refused = await asyncio.to_thread(self._sync, certain)
            synced = [each.id for each in certain if each not in refused]
            doubtful += refused
            gone = await asyncio.to_thread(self._remove, doubtful)
            await self._note(synced + gone, [each.id for each in doubtful])
            doubts = doubts or bool(doubtful)
        return doubts

    async def _note(self, synced: list[int], doubtful: list[int]) -> None:
        def work(tx: Tx) -> None:
            store.synced(tx.conn, synced)
            store.doubt(tx.conn, [id for id in doubtful if id not in synced])

        await self._writes.do(work)

    def _remove(self, files: list[Unsynced]) -> list[int]:
        """Those somebody has moved away meanwhile are theirs; their ids."""
        gone = []
        for each in files:
            try:
                self._done.root.remove(each.file or "")
            except AppError:
                gone.append(each.id)
        return gone

    def _sync(self, files: list[Unsynced]) -> list[Unsynced]:
        """Those whose bytes the disk would not take."""
        refused = []
        for each in files:
            try:
                with self._done.root.open(each.file or "") as opened:
                    os.fdatasync(opened.fileno())
            except AppError:
                continue  # moved away by somebody: then it is theirs
            except OSError:
                refused.append(each)
        for folder in {(each.file or "").rpartition("/")[0] for each in files}:
            self._done.sync(folder)
        return refused
