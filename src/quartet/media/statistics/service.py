import asyncio
import threading
from collections.abc import Callable
from typing import Any

from quartet.kernel.clock import now_ms
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel
from quartet.media.jobs.records import JobResult
from quartet.media.roots import store as roots
from quartet.media.roots.folder_access import FolderAccess
from quartet.media.roots.service import LIBRARIES, Folders
from quartet.media.statistics import store
from quartet.media.statistics.library_walk import measure_folder
from quartet.media.statistics.store import DAY_MS, FIRST_MONDAY_MS, WEEK_MS, Size
from quartet.media.statistics.types import LibraryDay, LibrarySize, Statistics, Week

WEEKS = 26
_KEPT_DAYS = 2 * 366
# Seldom enough for disks that sleep. While jobs move files, at most a twentieth of the time.
_EVERY_MS = 6 * 3600 * 1000
_PAUSE = 20


class LibraryStatistics:
    """Files moved per week, and the size of each library by day."""

    def __init__(
        self, kernel: Kernel[Any], folders: Folders, clock: Callable[[], int] = now_ms
    ) -> None:
        self._db = kernel.db
        self._folders = folders
        self._clock = clock
        # When the libraries are measured next at the latest, and at the earliest.
        self._due_ms = self._earliest_ms = 0

    def job_finished(self, result: JobResult) -> None:
        """Measure soon if files have moved."""
        if result.done:
            self._due_ms = self._earliest_ms

    async def measure_if_due(self) -> None:
        begun = self._clock()
        if begun < self._due_ms:
            return
        await self.measure()
        self._due_ms = begun + _EVERY_MS
        self._earliest_ms = begun + _PAUSE * (self._clock() - begun)

    async def measure(self) -> None:
        """Measure all libraries; the last measurement of a day is kept."""
        access = await self._folders.access()
        stop = threading.Event()
        day = self._clock() // DAY_MS
        try:
            sizes = await asyncio.to_thread(_measure, access, day, stop)
        finally:
            # A thread cannot be cancelled.
            stop.set()

        def work(tx: Tx) -> None:
            known = {folder.id for folder in roots.all_folders(tx.conn)}
            store.put_sizes(tx.conn, [size for size in sizes if size.folder_id in known])
            store.remove_before(tx.conn, day - _KEPT_DAYS)

        await self._db.write(work)

    async def current(self) -> Statistics:
        now = (self._clock() - FIRST_MONDAY_MS) // WEEK_MS
        first = now - WEEKS + 1
        moved = await self._db.read(store.moved_files, _start(first))
        sizes = await self._db.read(store.all_sizes)
        folders = [each for each in await self._folders.all() if each.kind in LIBRARIES]
        return Statistics(
            weeks=[Week(_start(week), *moved.get(week, (0, 0))) for week in range(first, now + 1)],
            libraries=[
                LibrarySize(each.id, each.name, each.kind, _days(sizes, each.id))
                for each in folders
            ],
        )


def _start(week: int) -> int:
    return FIRST_MONDAY_MS + week * WEEK_MS


def _days(sizes: list[Size], folder_id: int) -> list[LibraryDay]:
    return [
        LibraryDay(each.day * DAY_MS, each.files, each.bytes)
        for each in sizes
        if each.folder_id == folder_id
    ]


def _measure(access: FolderAccess, day: int, stop: threading.Event) -> list[Size]:
    present = [
        folder
        for folder in access.folders
        if folder.kind in LIBRARIES and _is_present(access, folder.system_path)
    ]
    found = [(folder.id, measure_folder(folder.system_path, stop)) for folder in present]
    return [Size(id, day, size.files, size.bytes) for id, size in found if size]


def _is_present(access: FolderAccess, path: str) -> bool:
    """An empty mount point is not an empty library."""
    try:
        access.require_present(access.resolve(path).root)
    except AppError:
        return False
    return True
