"""Messages that are due leave here, each once, and not while somebody wants to sleep."""

import asyncio
import time as clocks
from collections.abc import Callable

from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import Problem
from quartet.wind.alerts import store_messages as store
from quartet.wind.alerts.local_time import quiet_until
from quartet.wind.alerts.sending import Outcome, Sending
from quartet.wind.alerts.store_messages import Due
from quartet.wind.alerts.types import Channel

# Claimed and written down together.
_AT_ONCE = 50
# A mail server is not asked by more at a time.
_PARALLEL = 8
# Whoever claimed a message longer ago has died.
LEASE_SECONDS = 900


class Delivery:
    """A message gives up when its window begins. One that quiet hours hold back until later is
    still told while the window lasts, and dropped if that is over by then."""

    def __init__(
        self, db: Database, sending: Sending, clock: Callable[[], float] = clocks.time
    ) -> None:
        self._db = db
        self._sending = sending
        self._clock = clock

    async def deliver(self, channel: Channel) -> int:
        """All that is due, or as much as gets through; gives how many were sent."""
        if not await self._db.read(store.unfinished, channel):
            return 0
        await self._db.write(lambda tx: store.release(tx.conn, self._now(), LEASE_SECONDS))
        total = 0
        while waiting := await self._db.read(store.due, channel, self._now(), _AT_ONCE):
            claimed = await self._db.write(_claim, waiting, self._now())
            outcomes = await self._send(claimed)
            await self._db.write(_settle, list(zip(claimed, outcomes, strict=True)))
            total += sum(outcome.state == "sent" for outcome in outcomes)
            if claimed and all(outcome.state == "waiting" for outcome in outcomes):
                # Something is down: the others need not find out one by one.
                break
        await self._db.write(lambda tx: store.expire(tx.conn, self._now()))
        return total

    async def _send(self, claimed: list[Due]) -> list[Outcome]:
        free = asyncio.Semaphore(_PARALLEL)

        async def send(due: Due) -> Outcome:
            async with free:
                return await self._sending.send(due)

        return list(await asyncio.gather(*map(send, claimed)))

    def _now(self) -> int:
        return int(self._clock())


def _claim(tx: Tx, waiting: list[Due], now: int) -> list[Due]:
    """Those that are ours to send now."""
    # In one order: processes that claim the same must not wait for each other.
    ordered = sorted(waiting, key=lambda due: due.key)
    return [due for due in ordered if _may_go(tx, due, now) and store.claim(tx.conn, due.key, now)]


def _may_go(tx: Tx, due: Due, now: int) -> bool:
    if not due.wanted:
        store.drop(tx.conn, due.key, Problem("switched_off"))
        return False
    until = quiet_until(now, *due.quiet, due.timezone) if due.quiet else None
    if until is not None:
        _hold(tx, due, until)
        return False
    if due.expires_at <= now:
        store.expire(tx.conn, now)
        return False
    return True


def _hold(tx: Tx, due: Due, until: int) -> None:
    """Whether it is over by then is seen then: until that time a run may lengthen the window."""
    expires = max(until, due.window.end) if until >= due.window.start else due.expires_at
    store.postpone(tx.conn, due.key, until, expires)


def _settle(tx: Tx, results: list[tuple[Due, Outcome]]) -> None:
    for due, outcome in results:
        store.settle(tx.conn, due.key, outcome.state, **outcome.values)
