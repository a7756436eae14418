import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from quartet.kernel.service import Kernel
from quartet.media.moves import store
from quartet.media.moves.engine import Engine
from quartet.media.moves.reconcile import reconcile
from quartet.media.moves.types import Better, Cancelled, Plan, Report, Watch
from quartet.media.roots.service import Folders
from quartet.media.settings import MediaSettings

T = TypeVar("T")


class Moves:
    """Everything that is done to people's files; one thing at a time."""

    def __init__(self, kernel: Kernel[MediaSettings], folders: Folders) -> None:
        self._db = kernel.db
        self._folders = folders
        self._turn = asyncio.Lock()

    async def execute(
        self,
        plan: Plan,
        *,
        better: Better | None = None,
        watch: Watch | None = None,
        cancelled: Cancelled = lambda: False,
    ) -> Report:
        """`better`, `watch` and `cancelled` are called from a worker thread."""
        places = await self._folders.places()

        def work(stopping: Cancelled) -> Report:
            stopped = lambda: stopping() or cancelled()  # noqa: E731
            return Engine(
                self._db, places, plan, better=better, watch=watch, cancelled=stopped
            ).run()

        return await self.alone(work)

    async def came_from(self, path: str) -> str | None:
        """The name a file had before we moved it: that one says what release it is."""
        return await self._db.read(store.came_from, path)

    async def alone(self, work: Callable[[Cancelled], T]) -> T:
        """In a thread, while nobody else touches files; it is asked to stop when we are."""
        stopping = threading.Event()
        async with self._turn:
            running = asyncio.ensure_future(asyncio.to_thread(work, stopping.is_set))
            try:
                return await asyncio.shield(running)
            except asyncio.CancelledError:
                stopping.set()
                with suppress(Exception):
                    await running
                raise

    def reconcile(self) -> None:
        """At start, before anything else touches files: brings journal and disk together."""
        reconcile(self._db)
