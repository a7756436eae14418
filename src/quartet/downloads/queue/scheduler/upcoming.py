"""Picks the downloads that start next."""

from collections import Counter

from quartet.downloads.queue.scheduler import store as scheduler_store
from quartet.downloads.queue.scheduler.free_slots import Slots
from quartet.downloads.queue.types import ClaimedDownload
from quartet.kernel.db import Database

READ_AHEAD = 200


class UpcomingDownloads:
    """Reads the next downloads ahead, because many small files end faster than a query runs.

    The cache is valid until the queue changes; then `clear` must be called.
    """

    def __init__(self, db: Database, ahead: int = READ_AHEAD) -> None:
        self._db = db
        self._ahead = ahead
        self.clear()

    def clear(self) -> None:
        self._items: list[ClaimedDownload] = []
        # Hosts that were full when the cache was read; their downloads are not in it.
        self._full_hosts: frozenset[str] = frozenset()
        # Whether the database may hold more downloads than the cache.
        self._more = True

    async def started_now(self, slots: Slots, now: int) -> list[ClaimedDownload]:
        """Return the next downloads that need no free slot, unless their host is full."""
        busy = Counter(slots.busy)
        found = await self._db.read(
            scheduler_store.upcoming,
            self._ahead,
            slots.full(busy),
            slots.leaving,
            now,
            scheduler_store.STARTED_NOW,
        )
        picked, _ = _split(found, slots, busy, slots.beyond)
        return picked

    async def pick(
        self, slots: Slots, now: int, *, only_before_stop: bool = False
    ) -> list[ClaimedDownload]:
        """Return the next downloads in queue order, within the free slots."""
        which = [scheduler_store.BEFORE_STOP] if only_before_stop else []
        busy = Counter(slots.busy)
        if not self._full_hosts <= slots.full(busy):
            self.clear()
        picked = self._next(slots, busy, slots.free)
        while self._more and len(picked) < slots.free:
            self._full_hosts = slots.full(busy)
            gone = [*(item.id for item in picked), *slots.leaving]
            self._items = await self._db.read(
                scheduler_store.upcoming, self._ahead, self._full_hosts, gone, now, *which
            )
            self._more = len(self._items) == self._ahead
            picked += self._next(slots, busy, slots.free - len(picked))
        return picked

    def _next(self, slots: Slots, busy: Counter[str], most: int) -> list[ClaimedDownload]:
        picked, self._items = _split(self._items, slots, busy, most)
        return picked


def _split(
    items: list[ClaimedDownload], slots: Slots, busy: Counter[str], most: int
) -> tuple[list[ClaimedDownload], list[ClaimedDownload]]:
    """Return those that may start, and the others."""
    picked: list[ClaimedDownload] = []
    left: list[ClaimedDownload] = []
    for place, item in enumerate(items):
        if len(picked) >= most:
            left += items[place:]
            break
        if slots.is_full(item.host, busy[item.host]):
            left.append(item)
        else:
            busy[item.host] += 1
            picked.append(item)
    return picked, left
