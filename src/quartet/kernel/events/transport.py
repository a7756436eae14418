"""The transport for events between processes, chosen by URL."""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from litestar.channels.backends.base import ChannelsBackend
from litestar.channels.backends.memory import MemoryChannelsBackend

from quartet.kernel.postgres import plain_address
from quartet.kernel.redis import redis_address

MEBIBYTE = 1024 * 1024
# PostgreSQL limits a notification to less than 8000 bytes.
POSTGRES_BYTES = 7_900
CONNECT_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Transport:
    backend: ChannelsBackend
    channel: str
    max_bytes: int = MEBIBYTE


def backend_from_url(url: str | None, channel: str) -> Transport:
    """Return the transport for a URL; None means events stay in this process."""
    if url is None:
        return Transport(MemoryChannelsBackend(), channel)
    scheme = urlsplit(url).scheme
    match scheme.partition("+")[0]:
        case "redis" | "rediss" | "valkey" | "valkeys":
            return Transport(_redis(redis_address(url)), channel)
        case "postgresql" | "postgres":
            return Transport(_postgres(plain_address(url)), channel, POSTGRES_BYTES)
        case _:
            raise ValueError(f"no event backend for the URL scheme {scheme!r}")


def _redis(url: str) -> ChannelsBackend:
    # Imported here because the backend packages are optional extras.
    from litestar.channels.backends.redis import RedisChannelsPubSubBackend
    from redis.asyncio import Redis
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff

    class Backend(RedisChannelsPubSubBackend):
        async def subscribe(self, channels: Iterable[str]) -> None:
            await super().subscribe(channels)
            # Events published before Redis confirms the subscription are missed.
            if await self._pub_sub.get_message(timeout=CONNECT_SECONDS) is None:
                raise TimeoutError("no response to SUBSCRIBE")

        async def on_shutdown(self) -> None:
            await super().on_shutdown()
            await self._redis.aclose()

    # The client must not reconnect on its own: events published in between would be lost unnoticed.
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
