import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from quartet.kernel.service import Kernel
from quartet.media.moves import store
from quartet.media.moves.engine import MoveEngine
from quartet.media.moves.reconcile import reconcile
from quartet.media.moves.types import IsBetter, IsCancelled, MoveReport, Plan, ProgressCallback
from quartet.media.roots.service import Folders
from quartet.media.settings import MediaSettings

T = TypeVar("T")


class Moves:
    """Runs all changes to users' files, one at a time."""

    def __init__(self, kernel: Kernel[MediaSettings], folders: Folders) -> None:
        self._db = kernel.db
        self._folders = folders
        self._lock = asyncio.Lock()
        # Files that have been moved since the start.
        self.moved = 0

    async def execute(
        self,
        plan: Plan,
        *,
        better: IsBetter | None = None,
        watch: ProgressCallback | None = None,
        cancelled: IsCancelled = lambda: False,
    ) -> MoveReport:
        """`better`, `watch` and `cancelled` are called from a worker thread."""
        access = await self._folders.access()

        def work(stopping: IsCancelled) -> MoveReport:
            stopped = lambda: stopping() or cancelled()  # noqa: E731
            return MoveEngine(
                self._db, access, plan, better=better, watch=watch, cancelled=stopped
            ).run()

        report = await self.run_exclusively(work)
        self.moved += report.count("done")
        return report

    async def original_source(self, path: str) -> str | None:
        """Return the file's path before it was moved; its name identifies the release."""
        return await self._db.read(store.original_source, path)

    async def moved_targets(self, paths: Sequence[str]) -> set[str]:
        """Return which of these files were moved there by a job."""
        return await self._db.read(store.moved_targets, paths)

    async def run_exclusively(self, work: Callable[[IsCancelled], T]) -> T:
        """Run in a thread while no other file operation runs. If cancelled, ask it to stop."""
        stopping = threading.Event()
        async with self._lock:
            running = asyncio.ensure_future(asyncio.to_thread(work, stopping.is_set))
            try:
                return await asyncio.shield(running)
            except asyncio.CancelledError:
                stopping.set()
                with suppress(Exception):
                    await running
                raise

    def reconcile(self) -> None:
        """Reconcile journal and disk. Called at startup, before any file operation."""
        reconcile(self._db)
