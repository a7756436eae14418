"""HTTP client for one provider, with a rate limit, a cache and an error code for every failure."""

import asyncio
import hashlib
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol, TypeVar

import msgspec

from quartet.kernel.errors import AppError
from quartet.kernel.retry_after import retry_after
from quartet.media.types import LookupName

if TYPE_CHECKING:
    from quartet.kernel.outbound import OutboundClient, OutboundResponse

T = TypeVar("T")

HOUR = 3600
SEARCH_AGE = 24 * HOUR
DETAILS_AGE = 7 * 24 * HOUR
_UNKNOWN_AGE = HOUR
_TIMEOUT = 30.0
_AT_ONCE = 8
_LONGEST_WAIT = 10.0


class Cache(Protocol):
    async def get(self, key: str) -> str | None: ...

    async def put(self, key: str, value: str, expires_at: int) -> None: ...


class ProviderClient:
    """`address` is the provider's base URL, `per_second` its request limit."""

    def __init__(
        self,
        provider: LookupName,
        address: str,
        outbound: "OutboundClient",
        cache: Cache,
        per_second: float,
    ) -> None:
        # Imported here so that the HTTP client is loaded on first use, not at startup.
        from quartet.kernel.outbound.rate_limit import HostRateLimit

        self.provider: LookupName = provider
        self.address = address.rstrip("/")
        self._outbound = outbound
        self._cache = cache
        self._pace = HostRateLimit(per_second)
        self._slots = asyncio.Semaphore(_AT_ONCE)

    async def fetch(
        self,
        path: str,
        shape: type[T],
        *,
        query: Mapping[str, str] | None = None,
        body: object = None,
        secrets: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        age: int = DETAILS_AGE,
        keep: Callable[[T], bool] = lambda _answer: True,
        fresh: bool = False,
    ) -> T | None:
        """Return the decoded response, from the cache if it is fresh; None if not found.

        A `body` makes it a POST request. `secrets` are added to the query but not to the cache key.
        `keep` decides whether a response is cached, `fresh` bypasses the cache.
        """
        key = self._key(path, query, body)
        cached = None if fresh else await self._cache.get(key)
        if cached is not None:
            return msgspec.json.decode(cached, type=shape | None)
        sent = {**(query or {}), **(secrets or {})}
        async with self._slots:
            answer = await self._send(path, sent, body, headers or {})
        if answer.status == 404:
            await self._cache.put(key, "null", int(time.time()) + _UNKNOWN_AGE)
            return None
        self._raise_for_status(answer)
        value = answer.json(shape)
        if keep(value):
            text = answer.body.decode("utf-8", "replace")
            await self._cache.put(key, text, int(time.time()) + age)
        return value

    async def _send(
        self, path: str, query: Mapping[str, str], body: object, headers: Mapping[str, str]
    ) -> "OutboundResponse":
        url = self.address + path
        await self._pace.wait_for_slot(self.address)
        if body is None:
            return await self._outbound.get(url, query=query, headers=headers, timeout=_TIMEOUT)
        answer = await self._post(url, body, query, headers)
        # These POST requests only read, so they can be repeated.
        wait = retry_after(answer.headers) if answer.status == 429 else None
        if wait is not None and wait <= _LONGEST_WAIT:
            await asyncio.sleep(wait)
            answer = await self._post(url, body, query, headers)
        return answer

    async def _post(
        self, url: str, body: object, query: Mapping[str, str], headers: Mapping[str, str]
    ) -> "OutboundResponse":
        return await self._outbound.post(
            url, json=body, query=query, headers=headers, timeout=_TIMEOUT
        )

    def _raise_for_status(self, answer: "OutboundResponse") -> None:
        if answer.status in (401, 403):
            raise AppError(502, "provider_refused", provider=self.provider)
        if answer.status == 429:
            raise AppError(503, "provider_busy", provider=self.provider)
        if not answer.ok:
            raise AppError(502, "provider_failed", provider=self.provider, status=answer.status)

    def _key(self, path: str, query: Mapping[str, str] | None, body: object) -> str:
        cache_key_parts = [self.address, path, sorted((query or {}).items()), body]
        digest = hashlib.sha256(msgspec.json.encode(cache_key_parts)).hexdigest()
        return f"{self.provider}:{digest}"


def year_in(text: str | None) -> int | None:
    """Return the year at the start of `2021-03-04` or of a plain year."""
    digits = (text or "")[:4]
    return int(digits) if digits.isascii() and digits.isdecimal() else None
