"""How often one may try: each address, and each account, without shutting its owner out."""

import hmac
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from quartet.kernel.auth import Throttle, client_key, secrets_match
from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection
from quartet.wind.accounts.types import User
from quartet.wind.mail.address import email_key

if TYPE_CHECKING:
    from redis.asyncio import Redis

MINUTE = 60


def mark_of(handle: bytes) -> str:
    """What a browser keeps after a sign-in, so that others' guesses do not count against it."""
    return hmac.new(handle, b"quartet wind known browser", "sha256").hexdigest()


class Brakes:
    """In memory or in Redis: no database keeps addresses of people."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, redis: "Redis | None" = None
    ) -> None:
        def brake(name: str, limit: int, window: float) -> Throttle:
            return Throttle(limit, window, clock=clock, name=f"wind-{name}", redis=redis)

        self._guesses_of_address = brake("address", 30, 5 * MINUTE)
        # Many addresses may guess one password together.
        self._guesses_at_account = brake("account", 30, 15 * MINUTE)
        self._known_browsers = brake("browser", 10, 5 * MINUTE)
        self._sign_ups = brake("sign-up", 30, 10 * MINUTE)
        self._ceremonies = brake("ceremony", 60, MINUTE)
        self._mails = brake("mail", 3, 15 * MINUTE)
        self._own = brake("own", 10, 5 * MINUTE)

    async def guess(self, connection: Connection, email: str, user: User | None, mark: str) -> None:
        """Counts an attempt at a password; a browser that was in before counts for itself.

        The same for an address without an account: the brake tells nobody who has one.
        """
        if user is not None and secrets_match(mark, mark_of(user.handle)):
            await self._known_browsers.attempt(str(user.id))
            return
        await self._guesses_of_address.attempt(client_key(connection))
        await self._guesses_at_account.attempt(email_key(email))

    async def sign_up(self, connection: Connection) -> None:
        """Also for mails that anybody may ask for."""
        await self._sign_ups.attempt(client_key(connection))

    async def ceremony(self, connection: Connection) -> None:
        await self._ceremonies.attempt(client_key(connection))

    async def own(self, user_id: int) -> None:
        """For what a signed-in person might use to guess or to spam."""
        await self._own.attempt(str(user_id))

    async def may_mail(self, email: str) -> bool:
        """No mailbox is flooded; whoever asks is not told."""
        try:
            await self._mails.attempt(email_key(email))
        except AppError:
            return False
        return True
