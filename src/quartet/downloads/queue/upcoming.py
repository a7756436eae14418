"""Which downloads begin next, read ahead: many small files end faster than one can ask."""

from collections import Counter

from quartet.downloads.queue import store_claims as store
from quartet.downloads.queue.types import Claimed, Slots
from quartet.kernel.db import Database

AHEAD = 200


class Upcoming:
    """True as long as nobody changes the list; then it must be forgotten."""

    def __init__(self, db: Database, ahead: int = AHEAD) -> None:
        self._db = db
        self._ahead = ahead
        self.forget()

    def forget(self) -> None:
        self._items: list[Claimed] = []
        # Hosts that were full when it was read: nothing of theirs is in it.
        self._without: frozenset[str] = frozenset()
        # Whether there may be more behind.
        self._more = True

    async def pick(self, slots: Slots, now: int) -> list[Claimed]:
        """In the order of the list, within the slots."""
        busy = Counter(slots.busy)
        if not self._without <= slots.full(busy):
            self.forget()
        picked = self._next(slots, busy, slots.free)
        while self._more and len(picked) < slots.free:
            self._without = slots.full(busy)
            gone = [*(item.id for item in picked), *slots.leaving]
            self._items = await self._db.read(store.upcoming, self._ahead, self._without, gone, now)
            self._more = len(self._items) == self._ahead
            picked += self._next(slots, busy, slots.free - len(picked))
        return picked

    def _next(self, slots: Slots, busy: Counter[str], most: int) -> list[Claimed]:
        picked: list[Claimed] = []
        left: list[Claimed] = []
        for place, item in enumerate(self._items):
            if len(picked) == most:
                left += self._items[place:]
                break
            if slots.per_host and busy[item.host] >= slots.per_host:
                left.append(item)
            else:
                busy[item.host] += 1
                picked.append(item)
        self._items = left
        return picked
