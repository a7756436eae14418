"""How often one may try: each address, and each account, without shutting its owner out."""

import hmac
import time
from collections.abc import Callable

from quartet.kernel.auth import Throttle, client_key, same
from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection
from quartet.wind.accounts.types import User
from quartet.wind.mail.address import email_key

MINUTE = 60


def mark_of(handle: bytes) -> str:
    """What a browser keeps after a sign-in, so that others' guesses do not count against it."""
    return hmac.new(handle, b"quartet wind known browser", "sha256").hexdigest()


class Brakes:
    """Only in memory: addresses of people are not written down."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._guesses_of_address = Throttle(30, 5 * MINUTE, clock=clock)
        # Many addresses may guess one password together.
        self._guesses_at_account = Throttle(30, 15 * MINUTE, clock=clock)
        self._known_browsers = Throttle(10, 5 * MINUTE, clock=clock)
        self._sign_ups = Throttle(30, 10 * MINUTE, clock=clock)
        self._ceremonies = Throttle(60, MINUTE, clock=clock)
        self._mails = Throttle(3, 15 * MINUTE, clock=clock)
        self._own = Throttle(10, 5 * MINUTE, clock=clock)

    def guess(self, connection: Connection, email: str, user: User | None, mark: str) -> None:
        """Counts an attempt at a password; a browser that was in before counts for itself.

        The same for an address without an account: the brake tells nobody who has one.
        """
        if user is not None and same(mark, mark_of(user.handle)):
            self._known_browsers.attempt(str(user.id))
            return
        self._guesses_of_address.attempt(client_key(connection))
        self._guesses_at_account.attempt(email_key(email))

    def sign_up(self, connection: Connection) -> None:
        """Also for mails that anybody may ask for."""
        self._sign_ups.attempt(client_key(connection))

    def ceremony(self, connection: Connection) -> None:
        self._ceremonies.attempt(client_key(connection))

    def own(self, user_id: int) -> None:
        """For what a signed-in person might use to guess or to spam."""
        self._own.attempt(str(user_id))

    def may_mail(self, email: str) -> bool:
        """No mailbox is flooded; whoever asks is not told."""
        try:
            self._mails.attempt(email_key(email))
        except AppError:
            return False
        return True
