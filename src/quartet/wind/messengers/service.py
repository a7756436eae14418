"""Notifications through services such as ntfy and Telegram, which users add as Apprise URLs."""

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Sequence

from quartet.kernel import notifications
from quartet.kernel.address_policy import AddressPolicy
from quartet.kernel.auth import Throttle
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.notifications import mask_url, scheme_of
from quartet.kernel.notifier import Notifier
from quartet.wind.accounts import store as accounts
from quartet.wind.messengers import store
from quartet.wind.messengers.types import (
    Messenger,
    MessengerList,
    MessengerResult,
    StoredMessenger,
)

log = logging.getLogger("quartet.wind.messengers")

MOST_MESSENGERS = 5
# Adding one loads Apprise and resolves a host name.
_ADDED, _ADDED_SECONDS = 20, 3600

# Strangers may have accounts, so only services whose addresses name a recipient and nothing else:
# no mail servers, no local programs.
SCHEMES = frozenset(
    {
        "apprise",
        "bark",
        "discord",
        "gchat",
        "gotify",
        "hassio",
        "json",
        "matrix",
        "mmost",
        "nctalk",
        "ntfy",
        "pbul",
        "pover",
        "psafer",
        "rocket",
        "signal",
        "slack",
        "spush",
        "tgram",
        "threema",
        "webex",
        "whatsapp",
        "workflows",
        "zulip",
    }
)


class Messengers:
    def __init__(
        self, db: Database, policy: AddressPolicy, clock: Callable[[], float] = time.time
    ) -> None:
        self._db, self._policy, self._clock = db, policy, clock
        self._notifier = Notifier(policy, {}, SCHEMES)
        self._throttle = Throttle(_ADDED, _ADDED_SECONDS)

    async def all(self, user: int) -> MessengerList:
        mine = await self._db.read(store.of_user, user)
        return MessengerList([_shown(each) for each in mine], MOST_MESSENGERS)

    async def add(self, user: int, given: str) -> Messenger:
        url, now = given.strip(), int(self._clock())
        await self._throttle.count_request(str(user))
        await self._notifier.check(url)

        def work(tx: Tx) -> int:
            if accounts.lock_user(tx.conn, user) is None:
                raise AppError(401, "signed_out")
            others = store.of_user(tx.conn, user)
            if any(each.url == url for each in others):
                raise AppError(409, "messenger_exists")
            if len(others) >= MOST_MESSENGERS:
                raise AppError(422, "too_many_messengers", limit=MOST_MESSENGERS)
            return store.add(tx.conn, user, url, now)

        id = await self._db.write(work)
        log.info("user %d: messenger %d added, %s", user, id, scheme_of(url))
        return Messenger(id, mask_url(url), now)

    async def remove(self, user: int, id: int) -> None:
        if not await self._db.write(lambda tx: store.remove(tx.conn, user, id)):
            raise AppError(404, "not_found")
        log.info("user %d: messenger %d removed", user, id)

    async def send(
        self, user: int, title: str, body: str, only: Collection[int] | None = None
    ) -> MessengerResult:
        """Send to all addresses of a user; with `only`, to those an earlier attempt missed."""
        mine = await self._db.read(store.of_user, user)
        chosen = [each for each in mine if only is None or each.id in only]
        if not chosen:
            return MessengerResult(0)
        sent = await asyncio.to_thread(
            notifications.send_all, [each.url for each in chosen], title, body, self._policy
        )
        return await self._settle(user, chosen, sent)

    async def export(self, user: int) -> list[Messenger]:
        return (await self.all(user)).messengers

    async def _settle(
        self, user: int, tried: Sequence[StoredMessenger], sent: Sequence[bool]
    ) -> MessengerResult:
        delivered = [each.id for each, ok in zip(tried, sent, strict=True) if ok]
        failed = [each.id for each, ok in zip(tried, sent, strict=True) if not ok]
        now = int(self._clock())
        await self._db.write(lambda tx: store.mark(tx.conn, delivered, failed, now))
        log.debug("user %d: messengers reached %s, missed %s", user, delivered, failed)
        return MessengerResult(len(delivered), tuple(failed))


def _shown(stored: StoredMessenger) -> Messenger:
    return Messenger(stored.id, mask_url(stored.url), stored.created_at, stored.failed_at)
