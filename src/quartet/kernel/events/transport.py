"""How events get from one process to the others, chosen by an address."""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from litestar.channels.backends.base import ChannelsBackend
from litestar.channels.backends.memory import MemoryChannelsBackend

from quartet.kernel.postgres import plain_address
from quartet.kernel.redis import redis_address

MEBIBYTE = 1024 * 1024
# PostgreSQL takes less than 8000 bytes in one notification.
POSTGRES_BYTES = 7_900
CONNECT_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Transport:
    backend: ChannelsBackend
    channel: str
    max_bytes: int = MEBIBYTE


def backend_from_url(url: str | None, channel: str) -> Transport:
    """No address: this process alone. All processes with the same address and channel are one."""
    if url is None:
        return Transport(MemoryChannelsBackend(), channel)
    scheme = urlsplit(url).scheme
    match scheme.partition("+")[0]:
        case "redis" | "rediss" | "valkey" | "valkeys":
            return Transport(_redis(redis_address(url)), channel)
        case "postgresql" | "postgres":
            return Transport(_postgres(plain_address(url)), channel, POSTGRES_BYTES)
        case _:
            raise ValueError(f"no event backend for addresses that begin with {scheme!r}")


def _redis(url: str) -> ChannelsBackend:
    # Imported here: the packages of the backends are extras.
    from litestar.channels.backends.redis import RedisChannelsPubSubBackend
    from redis.asyncio import Redis
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff

    class Backend(RedisChannelsPubSubBackend):
        async def subscribe(self, channels: Iterable[str]) -> None:
            await super().subscribe(channels)
            # Only the confirmation says that nothing is missed from here on.
            if await self._pub_sub.get_message(timeout=CONNECT_SECONDS) is None:
                raise TimeoutError("no answer to SUBSCRIBE")

        async def on_shutdown(self) -> None:
            await super().on_shutdown()
            await self._redis.aclose()

    # The client must not reconnect by itself: what was published in between would be missing
    # and nobody would know.
    client = Redis.from_url(
        url,
        retry=Retry(NoBackoff(), 0),
        socket_connect_timeout=CONNECT_SECONDS,
        socket_timeout=CONNECT_SECONDS,
        socket_keepalive=True,
    )
    return Backend(redis=client)


def _postgres(url: str) -> ChannelsBackend:
    from litestar.channels.backends.psycopg import PsycoPgChannelsBackend

    return PsycoPgChannelsBackend(url)
