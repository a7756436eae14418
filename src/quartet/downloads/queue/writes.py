"""Changes of state, many in one transaction."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from quartet.downloads.events import Changed, Topic
from quartet.kernel.db import Database, Tx
from quartet.kernel.events import Coalescer, Hub

T = TypeVar("T")

# Many small files would make browsers reload without pause.
CHANGED_SECONDS = 0.25


class Writes:
    """What comes while one transaction is being written goes into the next together.

    Each commit waits for the disk: twenty small files that end at once shall wait once.
    """

    def __init__(self, db: Database, hub: Hub) -> None:
        self._db = db
        self._changes = Coalescer(hub, CHANGED_SECONDS)
        self._waiting: list[tuple[Callable[[Tx], Any], asyncio.Future[Any]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def do(self, work: Callable[[Tx], T]) -> T:
        """Is written also if the caller is cancelled meanwhile."""
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((work, done))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write(), name="queue-writes")
        return await done

    def changed(self, topic: Topic) -> None:
        self._changes.put(topic, Changed(topic))

    async def settle(self) -> None:
        """Returns when everything is written."""
        while self._writing:
            await asyncio.wait([self._writing])

    async def _write(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting, []
                await self._write_batch(batch)
                self.changed("downloads")
        finally:
            self._writing = None

    async def _write_batch(
        self, batch: list[tuple[Callable[[Tx], Any], asyncio.Future[Any]]]
    ) -> None:
        try:
            results = await self._db.write(lambda tx: [work(tx) for work, _ in batch])
        except Exception as error:  # noqa: BLE001 - it belongs to those who wait
            for _, done in batch:
                if not done.done():
                    done.set_exception(error)
            return
        for (_, done), result in zip(batch, results, strict=True):
            if not done.done():
                done.set_result(result)
