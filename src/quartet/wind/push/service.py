"""Push messages to subscribed browsers."""

import asyncio
import time
from collections.abc import Callable, Collection
from typing import NamedTuple

from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.wind.accounts import store as accounts
from quartet.wind.push import store
from quartet.wind.push.delivery import PushOutcome, PushSender
from quartet.wind.push.encryption import check_keys, payload_of
from quartet.wind.push.endpoints import checked_endpoint, origin_of
from quartet.wind.push.keys import VapidKey
from quartet.wind.push.types import (
    Counts,
    KeptSubscription,
    NewSubscription,
    PushInfo,
    PushMessage,
    PushResult,
    Subscription,
)

MOST_SUBSCRIPTIONS = 10
# Subscriptions that failed for this long are deleted.
_GIVEN_UP_SECONDS = 30 * 86400


class PushOptions(NamedTuple):
    """`mail_ready` returns whether mails can be sent too."""

    allow_private: bool
    mail_ready: Callable[[], bool]


class SessionSubscriptions:
    """Ends the push subscription of a browser together with its session."""

    def ended(self, tx: Tx, token_hash: str) -> None:
        store.remove_of_session(tx.conn, token_hash)

    def all_ended(self, tx: Tx, user_id: int, keep: str | None) -> None:
        store.remove_of_others(tx.conn, user_id, keep)

    def renewed(self, tx: Tx, user_id: int, old: str, new: str) -> None:
        store.move(tx.conn, user_id, old, new)


class Push:
    def __init__(
        self,
        db: Database,
        key: VapidKey,
        sender: PushSender,
        options: PushOptions,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._db = db
        self._key = key
        self._sender = sender
        self._options = options
        self._clock = clock

    async def info(self, user: int) -> PushInfo:
        mine = await self._db.read(store.of_user, user)
        return PushInfo(await self.public_key(), self._options.mail_ready(), len(mine))

    async def public_key(self) -> str:
        return await asyncio.to_thread(self._key.public)

    async def subscribe(self, user: int, session: str | None, new: NewSubscription) -> None:
        endpoint = checked_endpoint(new.endpoint, allow_private=self._options.allow_private)
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
            if accounts.lock_user(tx.conn, user) is None:
                raise AppError(401, "signed_out")
            if store.count_others(tx.conn, user, endpoint) >= MOST_SUBSCRIPTIONS:
                raise AppError(422, "too_many_subscriptions", limit=MOST_SUBSCRIPTIONS)
            store.put(tx.conn, values)

        await self._db.write(work)

    async def unsubscribe(self, user: int, endpoint: str | None) -> None:
        """Delete the user's own subscription, if it exists."""
        if endpoint is None or "\0" not in endpoint:
            await self._db.write(lambda tx: store.remove(tx.conn, user, endpoint))

    async def send(
        self, user: int, message: PushMessage, only: Collection[int] | None = None
    ) -> PushResult:
        """Send to all browsers of a user; with `only`, to those an earlier attempt missed."""
        payload_of(message)
        mine = await self._db.read(store.of_user, user)
        chosen = [each for each in mine if only is None or each.id in only]
        outcomes = await asyncio.gather(*(self._sender.send(message, each) for each in chosen))
        return await self._settle(list(zip(chosen, outcomes, strict=True)))

    async def export(self, user: int) -> list[KeptSubscription]:
        mine = await self._db.read(store.of_user, user)
        return [
            KeptSubscription(each.id, origin_of(each.endpoint), each.created_at, each.failed_at)
            for each in mine
        ]

    async def counts(self) -> Counts:
        return await self._db.read(store.counts)

    async def new_key(self) -> int:
        """Create a new key and delete the subscriptions of the old one; return how many."""
        # Subscriptions first: after a crash in between, the old key remains valid.
        gone = await self._db.write(lambda tx: store.remove_all(tx.conn))
        await asyncio.to_thread(self._key.renew)
        return gone

    async def _settle(self, tried: list[tuple[Subscription, PushOutcome]]) -> PushResult:
        now = int(self._clock())
        by_kind: dict[str, list[int]] = {"delivered": [], "gone": [], "later": [], "refused": []}
        for each, outcome in tried:
            long_ago = each.failed_at is not None and now - each.failed_at > _GIVEN_UP_SECONDS
            given_up = long_ago and outcome.kind != "delivered"
            by_kind["gone" if given_up else outcome.kind].append(each.id)
        failed = [*by_kind["later"], *by_kind["refused"]]

        def work(tx: Tx) -> None:
            store.remove_ids(tx.conn, by_kind["gone"])
            store.mark_delivered(tx.conn, by_kind["delivered"])
            store.mark_failed(tx.conn, failed, now)

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
