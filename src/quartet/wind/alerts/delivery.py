"""Delivers due messages exactly once per channel, outside of quiet hours."""

import asyncio
import logging
import time as clocks
from collections.abc import Callable
from itertools import groupby

from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import Problem
from quartet.wind.alerts import store_messages as store
from quartet.wind.alerts.local_time import next_time_at, quiet_until
from quartet.wind.alerts.message_sender import MessageSender, OutgoingMessage, SendOutcome
from quartet.wind.alerts.store_messages import DueWindow
from quartet.wind.alerts.types import Channel

log = logging.getLogger("quartet.wind.alerts")

# Users whose messages are claimed and saved in one transaction.
_AT_ONCE = 50
# Concurrent sends; each message to messengers needs a process of its own.
_PARALLEL: dict[Channel, int] = {"push": 8, "email": 8, "messenger": 2}
# After this time the claiming process is assumed dead.
LEASE_SECONDS = 900


class Delivery:
    """Sends everything that is due for a user in one message.

    A window is announced before it begins. If quiet hours delay the message beyond that, it is
    still sent while the window lasts, and dropped afterwards. With a daily digest, windows that
    begin before the next one are announced at once.
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
            outcomes = await self._send(channel, claimed)
            log.debug(
                "%s: %d windows due, %d messages claimed", channel, len(waiting), len(claimed)
            )
            await self._db.write(_settle, list(zip(claimed, outcomes, strict=True)))
            for message, outcome in zip(claimed, outcomes, strict=True):
                _log_outcome(message, outcome)
            total += sum(outcome.state == "sent" for outcome in outcomes)
            if claimed and all(outcome.state == "waiting" for outcome in outcomes):
                # The whole channel seems to be down; do not try the remaining messages.
                break
        await self._db.write(lambda tx: store.expire(tx.conn, self._now()))
        return total

    async def _send(self, channel: Channel, claimed: list[OutgoingMessage]) -> list[SendOutcome]:
        free = asyncio.Semaphore(_PARALLEL[channel])

        async def send(message: OutgoingMessage) -> SendOutcome:
            async with free:
                return await self._sender.send(message)

        return list(await asyncio.gather(*map(send, claimed)))

    def _now(self) -> int:
        return int(self._clock())


def _log_outcome(message: OutgoingMessage, outcome: SendOutcome) -> None:
    error = outcome.values.get("error")
    log.info(
        "alert message %s with %d windows to user %d by %s: %s%s",
        message.name,
        len(message.windows),
        message.user,
        message.channel,
        outcome.state,
        f", {error['code']}" if error else "",
    )


def _claim(tx: Tx, waiting: list[DueWindow], now: int) -> list[OutgoingMessage]:
    """Claim what is due; return the messages this process has to send, one per user.

    Windows whose message may have arrived already are sent again in a message of their own, with
    the same name, so that it replaces the first one.
    """

    def recipient(each: DueWindow) -> tuple[int, str]:
        return each.user, each.bundle or ""

    ready = [each for each in waiting if _is_sendable(tx, each, now)]
    messages = []
    # In a fixed order, to avoid deadlocks between processes.
    for (_, bundle), same in groupby(
        sorted(ready, key=lambda each: (recipient(each), each.key)), recipient
    ):
        windows = list(same)
        name = bundle or windows[0].key.name
        mine = [each for each in windows if store.claim(tx.conn, each.key, name, now)]
        if mine:
            messages.append(OutgoingMessage(name, mine))
    return messages


def _is_sendable(tx: Tx, due: DueWindow, now: int) -> bool:
    if not due.wanted:
        store.drop(tx.conn, due.key, Problem("switched_off"))
        return False
    until = quiet_until(now, *due.quiet, due.timezone) if due.quiet else None
    if until is not None and due.kind == "measured":
        # The wind may be over when the quiet hours end.
        store.drop(tx.conn, due.key, Problem("quiet_hours"))
        return False
    if until is not None:
        _postpone(tx, due, until)
        return False
    digest = _next_digest(due, now)
    if digest is not None:
        _postpone(tx, due, digest)
        return False
    if due.expires_at <= now:
        store.expire(tx.conn, now)
        return False
    return True


def _next_digest(due: DueWindow, now: int) -> int | None:
    """Return when the digest with this window is sent, or None if it has to be sent now."""
    if due.digest is None or due.tried or due.kind == "measured":
        return None
    # A message from the future was made while the clock was wrong.
    at = next_time_at(due.digest.hour, due.digest.timezone, min(due.made_at, now))
    return at if now < at < due.window.start else None


def _postpone(tx: Tx, due: DueWindow, until: int) -> None:
    """Postpone a message; a later run may still lengthen the window."""
    expires = max(until, due.window.end) if until >= due.window.start else due.expires_at
    store.postpone(tx.conn, due.key, until, expires)


def _settle(tx: Tx, results: list[tuple[OutgoingMessage, SendOutcome]]) -> None:
    for message, outcome in results:
        for each in message.windows:
            store.settle(tx.conn, each.key, outcome.state, **outcome.values)
