from collections import deque
from contextlib import suppress

from quartet.kernel.audit import store
from quartet.kernel.audit.tables import table_of
from quartet.kernel.audit.types import AuditEntry, AuditPage
from quartet.kernel.db import Database, DatabaseFull, History, Tx

# Older events are deleted, so that the table stays small.
KEPT = 10_000
# Bounds the memory: under a flood of refused requests the oldest events are dropped.
WAITING = 1_000


class AuditLog:
    """Stores audit events. They are collected first, so that refused requests cost no write."""

    def __init__(self, db: Database, history: History) -> None:
        self._db, self._table = db, table_of(history)
        self._waiting: deque[AuditEntry] = deque(maxlen=WAITING)

    def add(self, entry: AuditEntry) -> None:
        self._waiting.append(entry)

    async def flush(self) -> None:
        if not self._waiting:
            return
        entries = list(self._waiting)
        self._waiting.clear()

        def work(tx: Tx) -> None:
            store.add(tx.conn, self._table, entries, KEPT)

        try:
            await self._db.write(work)
        except DatabaseFull:
            # Stored with the next attempt.
            self._waiting.extendleft(reversed(entries[: WAITING - len(self._waiting)]))
            raise

    async def page(self, before: int | None, event: str | None, limit: int) -> AuditPage:
        with suppress(DatabaseFull):
            await self.flush()
        entries = await self._db.read(
            store.page, self._table, before=before, event=event, limit=limit + 1
        )
        following = entries[limit - 1].id if len(entries) > limit else None
        return AuditPage(entries[:limit], following)
