"""Processes many small items together, such as writes to the database."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from quartet.downloads.events import MOST_IDS, Changed
from quartet.kernel.db import Database, Tx
from quartet.kernel.events import Coalescer, EventHub

T = TypeVar("T")
R = TypeVar("R")

# Many small files would otherwise make browsers reload all the time.
CHANGED_SECONDS = 0.25


class Batcher(Generic[T, R]):
    """Collects items and processes them in batches.

    A transaction or a thread switch costs more than a small file, so items that arrive during a
    batch are processed together in the next one. `work` returns one result per item, in order; an
    exception as a result is raised to that item's caller. Batches start at least `seconds` apart,
    but the first batch, those while `hurry` is set and those of `most` items start at once.
    """

    def __init__(
        self,
        work: Callable[[list[T]], Awaitable[Sequence[R | Exception]]],
        seconds: float = 0.0,
        hurry: asyncio.Event | None = None,
        most: int = 1000,
    ) -> None:
        self._work = work
        self._most = most
        # Set while `most` items wait.
        self._full = asyncio.Event()
        self._seconds = seconds
        self._hurry = hurry or asyncio.Event()
        self._not_before = 0.0
        self._waiting: list[tuple[T, asyncio.Future[R]]] = []
        self._working: asyncio.Task[None] | None = None

    async def do(self, item: T) -> R:
        """Process the item, even if the caller is cancelled while waiting."""
        return await self.put(item)

    def put(self, item: T) -> asyncio.Future[R]:
        """Process the item later."""
        done: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, done))
        if len(self._waiting) >= self._most:
            self._full.set()
        if self._working is None:
            self._working = asyncio.create_task(self._run(), name="batcher")
        return done

    async def settle(self) -> None:
        """Wait until all items are processed."""
        while self._working:
            await asyncio.wait([self._working])

    async def _run(self) -> None:
        try:
            while self._waiting:
                await self._pause()
                batch, self._waiting = self._waiting, []
                self._full.clear()
                await self._process(batch)
        finally:
            self._working = None

    async def _pause(self) -> None:
        if self._seconds:
            clock = asyncio.get_running_loop().time
            if (wait := self._not_before - clock()) > 0:
                await _first_of((self._full, self._hurry), wait)
            self._not_before = clock() + self._seconds

    async def _process(self, batch: list[tuple[T, asyncio.Future[R]]]) -> None:
        results: Sequence[R | Exception]
        try:
            results = await self._work([item for item, _ in batch])
        except Exception as error:  # noqa: BLE001 - raised to the waiting callers
            results = [error] * len(batch)
        for (_, done), result in zip(batch, results, strict=True):
            if done.done():
                continue
            if isinstance(result, Exception):
                done.set_exception(result)
            else:
                done.set_result(result)


async def _first_of(events: Collection[asyncio.Event], seconds: float) -> None:
    """Wait until one of the events is set, for at most this time."""
    if any(event.is_set() for event in events):
        return
    waits = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waits:
            each.cancel()


class BatchedWrites:
    """Runs many changes of state in one transaction."""

    def __init__(self, db: Database, hub: EventHub) -> None:
        self._db = db
        self._changes = Coalescer(hub, CHANGED_SECONDS)
        self._batcher: Batcher[_Write, Any] = Batcher(self._write)

    async def do(self, work: Callable[[Tx], T], ids: Collection[int]) -> T:
        """Write in the next transaction, even if the caller is cancelled while waiting.

        `ids` are the downloads whose visible state changes.
        """
        return await self.put(work, ids)

    def put(self, work: Callable[[Tx], T], ids: Collection[int]) -> asyncio.Future[T]:
        """Write in the next transaction, after everything that was put before."""
        return self._batcher.put(_Write(work, ids))

    def changed(self, event: Changed) -> None:
        self._changes.put(event.topic, event, Changed.merged)

    async def settle(self) -> None:
        """Wait until everything is written."""
        await self._batcher.settle()

    async def _write(self, batch: list["_Write"]) -> list[Any]:
        results = await self._db.write(lambda tx: [each.work(tx) for each in batch])
        if ids := {id for each in batch for id in each.ids}:
            event = Changed("downloads", downloads=sorted(ids))
            self.changed(event if len(ids) <= MOST_IDS else Changed("downloads"))
        return results


class _Write(NamedTuple):
    work: Callable[[Tx], Any]
    ids: Collection[int]
