"""Push messages to subscribed browsers."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection

from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.push import store
from quartet.kernel.push.delivery import PushOutcome, PushSender
from quartet.kernel.push.encryption import check_keys, payload_of
from quartet.kernel.push.endpoints import origin_of
from quartet.kernel.push.keys import VapidKey
from quartet.kernel.push.store import PushTables
from quartet.kernel.push.types import (
    BrowserSubscription,
    Counts,
    KeptSubscription,
    NewSubscription,
    PushInfo,
    PushMessage,
    PushResult,
)

MOST_SUBSCRIPTIONS = 10
# Subscriptions that failed for this long are deleted.
_GIVEN_UP_SECONDS = 30 * 86400


class Push:
    def __init__(
        self,
        db: Database,
        tables: PushTables,
        key: VapidKey,
        sender: PushSender,
        exists: Callable[[Tx, int], bool] = lambda _tx, _user: True,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._db = db
        self._tables, self._table = tables, tables.subscriptions
        self._key = key
        self._sender = sender
        # Returns whether a user exists, and locks it.
        self._exists = exists
        self._clock = clock
        # Called after each new subscription.
        self.listeners: list[Callable[[], Awaitable[object]]] = []

    async def info(self, user: int) -> PushInfo:
        return PushInfo(await self.public_key(), len(await self._of(user)))

    async def public_key(self) -> str:
        return await asyncio.to_thread(self._key.public)

    async def subscribe(self, user: int, session: str | None, new: NewSubscription) -> None:
        endpoint = self._sender.checked(new.endpoint)
        await asyncio.to_thread(check_keys, new.keys)
        values = {
            "user_id": user,
            "endpoint": endpoint,
            "p256dh": new.keys.p256dh,
            "auth": new.keys.auth,
            "created_at": int(self._clock()),
            "session": session,
        }

        def work(tx: Tx) -> None:
            if not self._exists(tx, user):
                raise AppError(401, "signed_out")
            store.remove_ended(tx.conn, self._tables, user)
            if store.count_others(tx.conn, self._table, user, endpoint) >= MOST_SUBSCRIPTIONS:
                raise AppError(422, "too_many_subscriptions", limit=MOST_SUBSCRIPTIONS)
            store.put(tx.conn, self._table, values)

        await self._db.write(work)
        for listener in self.listeners:
            await listener()

    async def unsubscribe(self, user: int, endpoint: str | None) -> None:
        """Delete the user's own subscription, if it exists."""
        if endpoint is None or "\0" not in endpoint:
            await self._db.write(lambda tx: store.remove(tx.conn, self._table, user, endpoint))

    async def send(
        self, user: int, message: PushMessage, only: Collection[int] | None = None
    ) -> PushResult:
        """Send to all browsers of a user; with `only`, to those an earlier attempt missed."""
        payload_of(message)
        mine = await self._of(user)
        chosen = [each for each in mine if only is None or each.id in only]
        outcomes = await asyncio.gather(*(self._sender.send(message, each) for each in chosen))
        return await self._settle(list(zip(chosen, outcomes, strict=True)))

    async def export(self, user: int) -> list[KeptSubscription]:
        return [
            KeptSubscription(each.id, origin_of(each.endpoint), each.created_at, each.failed_at)
            for each in await self._of(user)
        ]

    async def counts(self) -> Counts:
        return await self._db.read(store.counts, self._table)

    async def new_key(self) -> int:
        """Create a new key and delete the subscriptions of the old one; return how many."""
        # Subscriptions first: after a crash in between, the old key remains valid.
        gone = await self._db.write(lambda tx: store.remove_all(tx.conn, self._table))
        await asyncio.to_thread(self._key.renew)
        return gone

    async def _of(self, user: int) -> list[BrowserSubscription]:
        return await self._db.read(store.of_user, self._tables, user)

    async def _settle(self, tried: list[tuple[BrowserSubscription, PushOutcome]]) -> PushResult:
        now = int(self._clock())
        by_kind: dict[str, list[int]] = {"delivered": [], "gone": [], "later": [], "refused": []}
        for each, outcome in tried:
            long_ago = each.failed_at is not None and now - each.failed_at > _GIVEN_UP_SECONDS
            given_up = long_ago and outcome.kind != "delivered"
            by_kind["gone" if given_up else outcome.kind].append(each.id)
        failed = [*by_kind["later"], *by_kind["refused"]]

        def work(tx: Tx) -> None:
            store.remove_ids(tx.conn, self._table, by_kind["gone"])
            store.mark_delivered(tx.conn, self._table, by_kind["delivered"])
            store.mark_failed(tx.conn, self._table, failed, now)

        if tried:
            await self._db.write(work)
        waits = [outcome.wait for _, outcome in tried if outcome.wait is not None]
        return PushResult(
            len(by_kind["delivered"]),
            len(by_kind["gone"]),
            len(failed),
            tuple(by_kind["later"]),
            max(waits, default=None),
        )
