"""Mails about accounts. All is decided after the answer: it takes as long for every address."""

import asyncio
import logging
from collections.abc import Callable
from typing import NamedTuple

from quartet.kernel.auth import hash_token, new_token
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.wind.accounts import store, store_waiting
from quartet.wind.accounts.brakes import Brakes
from quartet.wind.accounts.letter_texts import Kind, text_of
from quartet.wind.accounts.types import MailLink, User
from quartet.wind.languages import Language
from quartet.wind.mail.service import Mail, is_for_good

log = logging.getLogger("quartet.wind.accounts")

WAITING = 1000
# A mail server that says "later" is asked again.
PAUSES = (5.0, 30.0, 120.0)
LINK_SECONDS = {"sign_up": 24 * 3600, "email": 24 * 3600, "reset": 3600}
_PAGES = {"sign_up": "confirm", "email": "confirm", "reset": "reset"}


class Letter(NamedTuple):
    link: MailLink
    language: Language
    tried: int = 0


class Letters:
    def __init__(
        self,
        db: Database,
        mail: Mail,
        brakes: Brakes,
        site: str,
        clock: Callable[[], float],
    ) -> None:
        self._db, self._mail, self._brakes, self._site = db, mail, brakes, site
        self._clock = clock
        self._queue: asyncio.Queue[Letter] = asyncio.Queue()
        # So many come back into the queue after a pause.
        self._pausing = 0

    @property
    def ready(self) -> bool:
        return self._mail.ready

    async def put(self, link: MailLink, language: Language) -> None:
        if not self.ready:
            raise AppError(409, "mail_not_set_up")
        if not await self._brakes.may_mail(link.email):
            return
        if self._queue.qsize() + self._pausing >= WAITING:
            raise AppError(429, "too_many_requests", seconds=60)
        self._queue.put_nowait(Letter(link, language))

    async def run(self) -> None:
        while True:
            letter = await self._queue.get()
            try:
                await self._write(letter.link, letter.language)
            except AppError as error:
                if letter.tried < len(PAUSES) and not is_for_good(error):
                    self._put_back(letter)
                else:
                    log.warning("a mail about an account was given up: %s", error)

    def _put_back(self, letter: Letter) -> None:
        """Others go on meanwhile: one address must not hold up everybody."""

        def again() -> None:
            self._pausing -= 1
            self._queue.put_nowait(letter._replace(tried=letter.tried + 1))

        self._pausing += 1
        asyncio.get_running_loop().call_later(PAUSES[letter.tried], again)

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
            await self._known(owner)

    async def _known(self, owner: User) -> None:
        """Not to the address as it was typed now, but as its owner wrote it."""
        await self._send(owner.email or "", "known", owner.language, f"{self._site}/sign-in")

    async def _send_link(self, link: MailLink, language: Language) -> None:
        token, now = new_token(), int(self._clock())
        expires_at = now + LINK_SECONDS[link.purpose]

        def work(tx: Tx) -> bool:
            # Held, for whoever asked may be deleting the account this very moment.
            if link.user_id is not None and store.locked(tx.conn, link.user_id) is None:
                return False
            store_waiting.add_link(tx.conn, hash_token(token), link, now, expires_at)
            return True

        if not await self._db.write(work):
            return
        kind: Kind = "reset" if link.purpose == "reset" else "confirm"
        address = f"{self._site}/{_PAGES[link.purpose]}?token={token}"
        await self._send(link.email, kind, language, address)

    async def _send(self, to: str, kind: Kind, language: Language, link: str) -> None:
        text = text_of(kind, language, self._site, link)
        await self._mail.send(to, text.subject, text.body)
