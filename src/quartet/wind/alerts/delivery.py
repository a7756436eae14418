"""Delivers due messages exactly once per channel, outside of quiet hours."""

import asyncio
import logging
import time as clocks
from collections.abc import Callable

from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import Problem
from quartet.wind.alerts import store_messages as store
from quartet.wind.alerts.local_time import quiet_until
from quartet.wind.alerts.message_sender import MessageSender, SendOutcome
from quartet.wind.alerts.store_messages import DueMessage
from quartet.wind.alerts.types import Channel

log = logging.getLogger("quartet.wind.alerts")

# Messages claimed and saved in one transaction.
_AT_ONCE = 50
# Concurrent sends per channel.
_PARALLEL = 8
# After this time the claiming process is assumed dead.
LEASE_SECONDS = 900


class Delivery:
    """Sends due messages.

    A message expires when its window begins. If quiet hours delay it beyond that, it is still sent
    while the window lasts, and dropped afterwards.
    """

    def __init__(
        self, db: Database, sender: MessageSender, clock: Callable[[], float] = clocks.time
    ) -> None:
        self._db = db
        self._sender = sender
        self._clock = clock

    async def deliver(self, channel: Channel) -> int:
        """Send due messages; return how many were sent."""
        if not await self._db.read(store.unfinished, channel):
            return 0
        await self._db.write(lambda tx: store.release(tx.conn, self._now(), LEASE_SECONDS))
        total = 0
        while waiting := await self._db.read(store.due, channel, self._now(), _AT_ONCE):
            claimed = await self._db.write(_claim, waiting, self._now())
            outcomes = await self._send(claimed)
            log.debug("%s: %d messages due, %d claimed", channel, len(waiting), len(claimed))
            await self._db.write(_settle, list(zip(claimed, outcomes, strict=True)))
            for due, outcome in zip(claimed, outcomes, strict=True):
                _log_outcome(due, outcome)
            total += sum(outcome.state == "sent" for outcome in outcomes)
            if claimed and all(outcome.state == "waiting" for outcome in outcomes):
                # The whole channel seems to be down; do not try the remaining messages.
                break
        await self._db.write(lambda tx: store.expire(tx.conn, self._now()))
        return total

    async def _send(self, claimed: list[DueMessage]) -> list[SendOutcome]:
        free = asyncio.Semaphore(_PARALLEL)

        async def send(due: DueMessage) -> SendOutcome:
            async with free:
                return await self._sender.send(due)

        return list(await asyncio.gather(*map(send, claimed)))

    def _now(self) -> int:
        return int(self._clock())


def _log_outcome(due: DueMessage, outcome: SendOutcome) -> None:
    error = outcome.values.get("error")
    log.info(
        "alert %d message %s to user %d by %s: %s%s",
        due.key.alarm,
        due.key.name,
        due.user,
        due.key.channel,
        outcome.state,
        f", {error['code']}" if error else "",
    )


def _claim(tx: Tx, waiting: list[DueMessage], now: int) -> list[DueMessage]:
    """Claim messages and return those this process has to send."""
    # Claim in a fixed order, to avoid deadlocks between processes.
    ordered = sorted(waiting, key=lambda due: due.key)
    return [
        due for due in ordered if _is_sendable(tx, due, now) and store.claim(tx.conn, due.key, now)
    ]


def _is_sendable(tx: Tx, due: DueMessage, now: int) -> bool:
    if not due.wanted:
        store.drop(tx.conn, due.key, Problem("switched_off"))
        return False
    until = quiet_until(now, *due.quiet, due.timezone) if due.quiet else None
    if until is not None:
        _postpone(tx, due, until)
        return False
    if due.expires_at <= now:
        store.expire(tx.conn, now)
        return False
    return True


def _postpone(tx: Tx, due: DueMessage, until: int) -> None:
    """Postpone to the end of quiet hours; a later run may still lengthen the window."""
    expires = max(until, due.window.end) if until >= due.window.start else due.expires_at
    store.postpone(tx.conn, due.key, until, expires)


def _settle(tx: Tx, results: list[tuple[DueMessage, SendOutcome]]) -> None:
    for due, outcome in results:
        store.settle(tx.conn, due.key, outcome.state, **outcome.values)
