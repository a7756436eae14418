"""Changes of state, many in one transaction."""

from collections.abc import Callable
from typing import Any, TypeVar

from quartet.downloads.events import Changed, Topic
from quartet.downloads.queue.together import Together
from quartet.kernel.db import Database, Tx
from quartet.kernel.events import Coalescer, EventHub

T = TypeVar("T")

# Many small files would make browsers reload without pause.
CHANGED_SECONDS = 0.25


class Writes:
    def __init__(self, db: Database, hub: EventHub) -> None:
        self._db = db
        self._changes = Coalescer(hub, CHANGED_SECONDS)
        self._together: Together[Callable[[Tx], Any], Any] = Together(self._write)

    async def do(self, work: Callable[[Tx], T]) -> T:
        """Is written also if the caller is cancelled meanwhile."""
        result: T = await self._together.do(work)
        return result

    def changed(self, topic: Topic) -> None:
        self._changes.put(topic, Changed(topic))

    async def settle(self) -> None:
        """Returns when everything is written."""
        await self._together.settle()

    async def _write(self, batch: list[Callable[[Tx], Any]]) -> list[Any]:
        results = await self._db.write(lambda tx: [work(tx) for work in batch])
        self.changed("downloads")
        return results
