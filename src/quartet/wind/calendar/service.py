"""A private calendar address for each user."""

import asyncio
import logging
import time
from collections.abc import Callable

from quartet.kernel.auth import Throttle, hash_token, new_token
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.wind.accounts import store as accounts
from quartet.wind.calendar import store
from quartet.wind.calendar.events import document
from quartet.wind.calendar.types import CalendarFeed, NewCalendarFeed
from quartet.wind.outlook.service import Outlooks

log = logging.getLogger("quartet.wind.calendar")

# Calendars ask every few minutes to hours.
_REQUESTS, _SECONDS = 60, 3600
_SUFFIX = ".ics"


class Calendars:
    """Calendar feeds; only the hash of an address is stored, so it is shown once."""

    def __init__(
        self,
        db: Database,
        outlooks: Outlooks,
        site: str,
        name_of: Callable[[str], str],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._db, self._outlooks, self._site = db, outlooks, site
        self._name_of, self._clock = name_of, clock
        self._throttle = Throttle(_REQUESTS, _SECONDS)

    async def of(self, user: int) -> CalendarFeed:
        return CalendarFeed(await self._db.read(store.created_at, user))

    async def make(self, user: int) -> NewCalendarFeed:
        """Create an address, which replaces an earlier one."""
        token, now = new_token(), int(self._clock())

        def work(tx: Tx) -> None:
            if accounts.lock_user(tx.conn, user) is None:
                raise AppError(401, "signed_out")
            store.save(tx.conn, user, hash_token(token), now)

        await self._db.write(work)
        log.info("user %d: calendar address created", user)
        return NewCalendarFeed(f"/api/calendar/{token}{_SUFFIX}", now)

    async def remove(self, user: int) -> None:
        await self._db.write(lambda tx: store.remove(tx.conn, user))
        log.info("user %d: calendar address revoked", user)

    async def read(self, file: str) -> bytes:
        """Return the calendar of an address."""
        token = hash_token(file.removesuffix(_SUFFIX))
        owner = await self._db.read(store.owner, token) if file.endswith(_SUFFIX) else None
        if owner is None:
            raise AppError(404, "not_found")
        await self._throttle.count_request(token)
        user, reader = owner
        outlook = await self._outlooks.of(user)
        return await asyncio.to_thread(document, outlook, reader, self._site, self._name_of)
