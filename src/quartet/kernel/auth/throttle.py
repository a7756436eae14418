import logging
import math
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from ipaddress import IPv6Address, IPv6Network
from typing import TYPE_CHECKING

from quartet.kernel.addresses import parse_address
from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection

if TYPE_CHECKING:
    from redis.asyncio import Redis

log = logging.getLogger("quartet.auth")

# Drops expired attempts, then returns the seconds to wait or records one attempt. Uses the clock of
# the Redis server.
_ATTEMPT = """
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
if redis.call('ZCARD', KEYS[1]) >= limit then
  local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  return math.max(1, math.ceil(window - (now - tonumber(first[2]))))
end
if ARGV[3] ~= '' then
  redis.call('ZADD', KEYS[1], now, ARGV[3])
  redis.call('PEXPIRE', KEYS[1], math.ceil(window * 1000))
end
return 0
"""


class Throttle:
    """Allows `limit` failures per key within `window` seconds and tracks at most `keys` keys.

    With `redis`, all processes share the counters under `name`. Without it, or while it is
    unavailable, each process counts separately.
    """

    def __init__(
        self,
        limit: int = 10,
        window: float = 60,
        keys: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
        *,
        name: str = "",
        redis: "Redis | None" = None,
    ) -> None:
        self._limit, self._window, self._keys, self._clock = limit, window, keys, clock
        self._attempts: OrderedDict[str, list[float]] = OrderedDict()
        self._name, self._redis = name, redis

    async def check(self, key: str) -> None:
        seconds = await self._check_shared(key, "")
        _refuse(self._wait(key) if seconds is None else seconds)

    async def failed(self, key: str) -> None:
        if await self._check_shared(key, secrets.token_hex(8)) is None:
            self._count(key)

    async def attempt(self, key: str) -> None:
        """Count an attempt before a slow password check, so that parallel guesses count too."""
        seconds = await self._check_shared(key, secrets.token_hex(8))
        if seconds is None:
            _refuse(self._wait(key))
            self._count(key)
            return
        _refuse(seconds)

    async def count_request(self, key: str) -> None:
        """Count a request that guesses nothing; the audit log does not take it for an attack."""
        try:
            await self.attempt(key)
        except AppError as error:
            raise AppError(429, "too_many_requests", **error.inputs) from None

    async def passed(self, key: str) -> None:
        """Take back the newest attempt, which was right.

        Wrong ones before it still count: otherwise somebody with an account of their own could
        guess the passwords of others without end, by signing in now and then.
        """
        if attempts := self._attempts.get(key):
            attempts.pop()
        if self._redis is not None:
            from redis.exceptions import RedisError

            try:
                await self._redis.zpopmax(self._redis_key(key))
            except RedisError as error:
                log.warning("Redis unavailable, counting failed attempts per process: %s", error)

    def _wait(self, key: str) -> int:
        now = self._clock()
        recent = self._recent(key, now)
        if len(recent) < self._limit:
            return 0
        return math.ceil(self._window - (now - recent[0]))

    def _count(self, key: str) -> None:
        now = self._clock()
        self._attempts[key] = [*self._recent(key, now), now]
        self._attempts.move_to_end(key)
        while len(self._attempts) > self._keys:
            self._attempts.popitem(last=False)

    def _recent(self, key: str, now: float) -> list[float]:
        return [at for at in self._attempts.get(key, []) if now - at < self._window]

    async def _check_shared(self, key: str, attempt: str) -> int | None:
        """Return the seconds to wait according to Redis, or None if it is unavailable."""
        if self._redis is None:
            return None
        from redis.exceptions import RedisError

        values = (str(self._limit), str(self._window), attempt)
        try:
            return int(await self._redis.eval(_ATTEMPT, 1, self._redis_key(key), *values))
        except RedisError as error:
            log.warning("Redis unavailable, counting failed attempts per process: %s", error)
            return None

    def _redis_key(self, key: str) -> str:
        """Hash the key: client addresses must not be readable in Redis."""
        return f"quartet-throttle-{self._name}-{sha256(key.encode()).hexdigest()[:32]}"


def _refuse(seconds: int) -> None:
    if seconds:
        raise AppError(429, "too_many_attempts", seconds=seconds)


def client_key(connection: Connection) -> str:
    """Return the client address as a throttle key; IPv6 addresses are grouped by /64 network."""
    host = connection.client.host if connection.client else ""
    address = parse_address(host)
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address, 64), strict=False))
    return str(address or host)
