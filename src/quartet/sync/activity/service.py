import asyncio
import time
from collections.abc import Callable
from typing import Any

from quartet.kernel.db import Database, Tx
from quartet.sync.activity import store
from quartet.sync.activity.types import ActivityEvent, Happened, Kind
from quartet.sync.config.types.revisions import What

KEPT = 10_000
# A thousand devices may come at once after a restart; what is beyond this is not told.
WAITING = 20_000
# Others write too.
BATCH = 1000


class Activity:
    """Written in batches: an event must never cost whoever it happens to a transaction."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._waiting: list[Happened] = []
        # Whoever reads after a flush must not miss what another flush is still writing.
        self._flushing = asyncio.Lock()
        # Told of everything as it happens.
        self.listeners: list[Callable[[Happened], None]] = []

    def record(
        self,
        kind: Kind,
        code: str,
        /,
        *,
        device_id: int | None = None,
        folder_id: int | None = None,
        **inputs: Any,
    ) -> None:
        """`code` with `inputs` is what the UI shows; call it on the event loop."""
        happened = Happened(int(time.time()), kind, code, inputs, device_id, folder_id)
        if len(self._waiting) < WAITING:
            self._waiting.append(happened)
        for listener in self.listeners:
            listener(happened)

    def revised(self, revision: int, who: str, what: What) -> None:
        """A pairing is told of as such."""
        if what.code != "device_paired":
            # Its own inputs come last: a return to an old revision tells which one.
            self.record("config", what.code, **{"who": who, "revision": revision, **what.inputs})

    async def flush(self) -> None:
        async with self._flushing:
            for _ in range(0, len(self._waiting), BATCH):
                batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
                try:
                    await self._db.write(_add, batch)
                except Exception:
                    self._waiting = [*batch, *self._waiting][:WAITING]
                    raise

    async def page(self, before: int | None, limit: int) -> list[ActivityEvent]:
        await self.flush()
        return await self._db.read(store.page, before, limit)


def _add(tx: Tx, batch: list[Happened]) -> None:
    store.add(tx.conn, batch, KEPT)
