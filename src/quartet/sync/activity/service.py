import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from quartet.kernel.db import Database, DatabaseFull, Tx
from quartet.sync.accounts.types import View
from quartet.sync.activity import store
from quartet.sync.activity.types import ActivityEvent, ActivityRecord, Kind
from quartet.sync.config.types.revisions import ChangeSummary

KEPT = 10_000
# Thousands of devices may reconnect after a restart; events beyond this limit are dropped.
MAX_WAITING = 20_000
# Small enough not to block other writers for long.
BATCH = 250


class Activity:
    """The activity feed; events are written in batches to save transactions."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._waiting: list[ActivityRecord] = []
        # A reader that flushes first must also see the events that another flush is writing.
        self._flushing = asyncio.Lock()
        # Called with every event when it is recorded.
        self.listeners: list[Callable[[ActivityRecord], None]] = []

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
        """Record an event on the event loop; the UI translates `code` with `inputs`."""
        record = ActivityRecord(int(time.time()), kind, code, inputs, device_id, folder_id)
        if len(self._waiting) < MAX_WAITING:
            self._waiting.append(record)
        for listener in self.listeners:
            listener(record)

    def record_revision(self, revision: int, user: str, what: ChangeSummary) -> None:
        """Record a configuration change, except pairings, which have their own event."""
        if what.code != "device_paired":
            # The change's inputs override ours: a restored revision states which one it was.
            self.record("config", what.code, **{"who": user, "revision": revision, **what.inputs})

    async def flush(self) -> None:
        async with self._flushing:
            for _ in range(0, len(self._waiting), BATCH):
                batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
                try:
                    await self._db.write(_add, batch)
                except Exception:
                    self._waiting = [*batch, *self._waiting][:MAX_WAITING]
                    raise

    async def page(
        self, before: int | None, limit: int, view: View | None = None
    ) -> list[ActivityEvent]:
        """Return events, newest first; with a `view`, only those of its folders and devices."""
        # Events that cannot be stored now follow when there is space on the disk again.
        with suppress(DatabaseFull):
            await self.flush()
        return await self._db.read(store.page, before, limit, view)


def _add(tx: Tx, batch: list[ActivityRecord]) -> None:
    store.add(tx.conn, batch, KEPT)
