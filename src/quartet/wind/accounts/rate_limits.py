"""Rate limits per client address and per account, without locking out the owner."""

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


def known_browser_mark(handle: bytes) -> str:
    """Return the value of the known-browser cookie.

    After a sign-in the browser keeps it, so that failed attempts by others do not lock it out.
    """
    return hmac.new(handle, b"quartet wind known browser", "sha256").hexdigest()


class RateLimits:
    """Attempt counters in memory or in Redis, which sees client addresses only as hashes."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, redis: "Redis | None" = None
    ) -> None:
        def throttle(name: str, limit: int, window: float) -> Throttle:
            return Throttle(limit, window, clock=clock, name=f"wind-{name}", redis=redis)

        self._guesses_of_address = throttle("address", 30, 5 * MINUTE)
        # Limits a distributed attack on one account from many addresses.
        self._guesses_at_account = throttle("account", 30, 15 * MINUTE)
        self._known_browsers = throttle("browser", 10, 5 * MINUTE)
        self._sign_ups = throttle("sign-up", 30, 10 * MINUTE)
        self._ceremonies = throttle("ceremony", 60, MINUTE)
        self._mails = throttle("mail", 3, 15 * MINUTE)
        self._own = throttle("own", 10, 5 * MINUTE)

    async def count_password_attempt(
        self, connection: Connection, email: str, user: User | None, mark: str
    ) -> None:
        """Count a password attempt; a browser that signed in before has its own counter.

        Addresses without an account are counted too, so the limit does not reveal who has one.
        """
        if user is not None and secrets_match(mark, known_browser_mark(user.handle)):
            await self._known_browsers.attempt(str(user.id))
            return
        await self._guesses_of_address.attempt(client_key(connection))
        await self._guesses_at_account.attempt(email_key(email))

    async def count_recovery_attempt(self, connection: Connection) -> None:
        """Count an attempt to sign in with a recovery code, which names no account."""
        await self._guesses_of_address.attempt(client_key(connection))

    async def count_sign_up(self, connection: Connection) -> None:
        """Count a sign-up, or a request for a mail that needs no session."""
        await self._sign_ups.attempt(client_key(connection))

    async def count_ceremony(self, connection: Connection) -> None:
        await self._ceremonies.attempt(client_key(connection))

    async def count_own_action(self, user_id: int) -> None:
        """Count an action by which a signed-in user could guess a password or send spam."""
        await self._own.attempt(str(user_id))

    async def may_mail(self, email: str) -> bool:
        """Return whether another mail may go to this mailbox; the client is not informed."""
        try:
            await self._mails.attempt(email_key(email))
        except AppError:
            return False
        return True
