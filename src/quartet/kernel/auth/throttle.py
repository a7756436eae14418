import math
import time
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, IPv6Network

from quartet.kernel.addresses import parse_address
from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection


class Throttle:
    """At most `limit` failures per key in `window` seconds, for at most `keys` keys at a time."""

    def __init__(
        self,
        limit: int = 10,
        window: float = 60,
        keys: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit, self._window, self._keys, self._clock = limit, window, keys, clock
        self._attempts: OrderedDict[str, list[float]] = OrderedDict()

    def check(self, key: str) -> None:
        now = self._clock()
        recent = self._recent(key, now)
        if len(recent) >= self._limit:
            wait = math.ceil(self._window - (now - recent[0]))
            raise AppError(429, "too_many_attempts", seconds=wait)

    def failed(self, key: str) -> None:
        now = self._clock()
        self._attempts[key] = [*self._recent(key, now), now]
        self._attempts.move_to_end(key)
        while len(self._attempts) > self._keys:
            self._attempts.popitem(last=False)

    def attempt(self, key: str) -> None:
        """Counts before a slow check of the secret, so that parallel guesses count as well."""
        self.check(key)
        self.failed(key)

    def _recent(self, key: str, now: float) -> list[float]:
        return [at for at in self._attempts.get(key, []) if now - at < self._window]

    def passed(self, key: str) -> None:
        self._attempts.pop(key, None)


def client_key(connection: Connection) -> str:
    """One person's address. With IPv6 a person holds a whole /64 of them."""
    host = connection.client.host if connection.client else ""
    address = parse_address(host)
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address, 64), strict=False))
    return str(address or host)
