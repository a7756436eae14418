"""Mails about accounts, sent from a queue.

The account is looked up only after the response, so response times do not reveal whether an
address has one.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import NamedTuple

from quartet.kernel.auth import hash_token, new_token
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.wind.accounts import store, store_pending
from quartet.wind.accounts.email_texts import Kind, email_text
from quartet.wind.accounts.rate_limits import RateLimits
from quartet.wind.accounts.types import MailLink, User
from quartet.wind.languages import Language
from quartet.wind.mail.service import Mail, is_permanent

log = logging.getLogger("quartet.wind.accounts")

WAITING = 1000
# Delays before a mail is retried after a temporary failure.
PAUSES = (5.0, 30.0, 120.0)
LINK_SECONDS = {"sign_up": 24 * 3600, "email": 24 * 3600, "reset": 3600}
_PAGES = {"sign_up": "confirm", "email": "confirm", "reset": "reset"}


class QueuedEmail(NamedTuple):
    link: MailLink
    language: Language
    tried: int = 0


class AccountEmails:
    def __init__(
        self,
        db: Database,
        mail: Mail,
        rate_limits: RateLimits,
        site: str,
        clock: Callable[[], float],
    ) -> None:
        self._db, self._mail, self._rate_limits, self._site = db, mail, rate_limits, site
        self._clock = clock
        self._queue: asyncio.Queue[QueuedEmail] = asyncio.Queue()
        # Number of mails waiting for a retry; they count towards the queue limit.
        self._pausing = 0

    @property
    def ready(self) -> bool:
        return self._mail.ready

    async def put(self, link: MailLink, language: Language) -> None:
        if not self.ready:
            raise AppError(409, "mail_not_set_up")
        if not await self._rate_limits.may_mail(link.email):
            return
        if self._queue.qsize() + self._pausing >= WAITING:
            raise AppError(429, "too_many_requests", seconds=60)
        self._queue.put_nowait(QueuedEmail(link, language))

    async def run(self) -> None:
        while True:
            email = await self._queue.get()
            try:
                await self._write(email.link, email.language)
            except AppError as error:
                if email.tried < len(PAUSES) and not is_permanent(error):
                    self._put_back(email)
                else:
                    log.warning(
                        "account mail dropped after %d attempts: %s", email.tried + 1, error
                    )

    def _put_back(self, email: QueuedEmail) -> None:
        """Retry later without blocking the other mails."""

        def again() -> None:
            self._pausing -= 1
            self._queue.put_nowait(email._replace(tried=email.tried + 1))

        self._pausing += 1
        asyncio.get_running_loop().call_later(PAUSES[email.tried], again)

    async def _write(self, link: MailLink, language: Language) -> None:
        owner = await self._db.read(store.by_email, link.email)
        if link.purpose == "moved":
            await self._send(link.email, "moved", language, "")
        elif link.purpose == "reset":
            if owner is not None and not owner.disabled:
                await self._send_link(MailLink("reset", link.email, owner.id), owner.language)
        elif owner is None or owner.id == link.user_id:
            await self._send_link(link, language)
        else:
            await self._send_account_exists(owner)

    async def _send_account_exists(self, owner: User) -> None:
        """Tell the owner that the account exists, at the address as the owner typed it."""
        await self._send(owner.email or "", "known", owner.language, f"{self._site}/sign-in")

    async def _send_link(self, link: MailLink, language: Language) -> None:
        token, now = new_token(), int(self._clock())
        expires_at = now + LINK_SECONDS[link.purpose]

        def work(tx: Tx) -> bool:
            # Lock the row: the account may be deleted at the same time.
            if link.user_id is not None and store.lock_user(tx.conn, link.user_id) is None:
                return False
            store_pending.add_link(tx.conn, hash_token(token), link, now, expires_at)
            return True

        if not await self._db.write(work):
            return
        kind: Kind = "reset" if link.purpose == "reset" else "confirm"
        address = f"{self._site}/{_PAGES[link.purpose]}?token={token}"
        await self._send(link.email, kind, language, address)

    async def _send(self, to: str, kind: Kind, language: Language, link: str) -> None:
        text = email_text(kind, language, self._site, link)
        await self._mail.send(to, text.subject, text.body)
