"""The client every service uses to reach the outside."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, nullcontext
from types import TracebackType
from typing import Self, TypeVar, Unpack

import aiohttp
from aiohttp.abc import AbstractResolver

from quartet import __version__
from quartet.kernel.address_policy import AddressPolicy, ForbiddenAddress, literal_address
from quartet.kernel.errors import AppError
from quartet.kernel.outbound.errors import app_errors
from quartet.kernel.outbound.proxies import is_socks, socks_connector, socks_errors
from quartet.kernel.outbound.rate_limit import HostRateLimit
from quartet.kernel.outbound.redirects import (
    Options,
    OutboundRequest,
    StreamOptions,
    initial_request,
    origin,
    redirect_request,
)
from quartet.kernel.outbound.responses import OutboundResponse, ResponseStream
from quartet.kernel.outbound.retries import Retries, is_temporary_error, is_temporary_status
from quartet.kernel.retry_after import retry_after

T = TypeVar("T")

_MOST_REDIRECTS = 5


class OutboundClient:
    """Reaches public addresses only, unless `allow_private` says all or names some.

    The check sits where the connection is made, so neither a redirect nor a name that changes its
    address gets around it. `proxy` is asked each time; through one only spelled-out addresses can
    be checked here.
    """

    def __init__(
        self,
        *,
        allow_private: bool | Iterable[str] = False,
        timeout: float = 60,
        connect_timeout: float = 10,
        read_timeout: float = 30,
        max_bytes: int = 16 * 1024 * 1024,
        retries: int = 2,
        backoff: float = 0.5,
        longest_wait: float = 30,
        per_second: float | None = None,
        per_host: int = 0,
        proxy: Callable[[], str | None] = lambda: None,
        resolver: AbstractResolver | None = None,
    ) -> None:
        self._allowance = AddressPolicy(allow_private)
        self._timeout = timeout
        self._patience = aiohttp.ClientTimeout(
            total=None, sock_connect=connect_timeout, sock_read=read_timeout
        )
        self._max_bytes = max_bytes
        self._retries = Retries(retries, backoff, longest_wait)
        self._pace = HostRateLimit(per_second)
        self._per_host = per_host
        self._proxy = proxy
        self._resolver = resolver
        self._sessions: dict[tuple[bool, str | None], aiohttp.ClientSession] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        while self._sessions:
            await self._sessions.popitem()[1].close()

    async def get(self, url: str, **options: Unpack[Options]) -> OutboundResponse:
        return await self.request("GET", url, **options)

    async def post(self, url: str, **options: Unpack[Options]) -> OutboundResponse:
        return await self.request("POST", url, **options)

    async def request(self, method: str, url: str, **options: Unpack[Options]) -> OutboundResponse:
        """The whole answer; `timeout` is for all attempts and redirects together."""
        limit = options.get("max_bytes", self._max_bytes)

        async def take(response: aiohttp.ClientResponse) -> OutboundResponse:
            try:
                stream = ResponseStream(response, limit)
                body = b"".join([chunk async for chunk in stream.raw_chunks()])
                return OutboundResponse(stream.status, stream.headers, stream.url, body)
            finally:
                response.close()

        return await self._within(initial_request(method, url, options), options, take)

    @asynccontextmanager
    async def stream(
        self, url: str, *, max_bytes: int, method: str = "GET", **options: Unpack[StreamOptions]
    ) -> AsyncIterator[ResponseStream]:
        """A big answer; `timeout` ends with its headers, then `read_timeout` bounds each wait."""

        async def take(response: aiohttp.ClientResponse) -> aiohttp.ClientResponse:
            return response

        response = await self._within(initial_request(method, url, options), options, take)
        try:
            yield ResponseStream(response, max_bytes)
        finally:
            response.close()

    async def _within(
        self,
        hop: OutboundRequest,
        options: StreamOptions,
        take: Callable[[aiohttp.ClientResponse], Awaitable[T]],
    ) -> T:
        deadline = asyncio.get_running_loop().time() + options.get("timeout", self._timeout)
        with app_errors(hop.url):
            async with asyncio.timeout_at(deadline):
                return await self._try(hop, take, deadline)

    async def _try(
        self,
        hop: OutboundRequest,
        take: Callable[[aiohttp.ClientResponse], Awaitable[T]],
        deadline: float,
    ) -> T:
        attempt = 0
        while True:
            try:
                response = await self._follow(hop)
                asked = retry_after(response.headers)
                wait = self._wait(hop, attempt, deadline, asked)
                if wait is None or not is_temporary_status(response.status):
                    return await take(response)
                response.close()
            except aiohttp.ClientError as error:
                wait = self._wait(hop, attempt, deadline)
                if wait is None or not is_temporary_error(error):
                    raise
            await asyncio.sleep(wait)
            attempt += 1

    def _wait(
        self, hop: OutboundRequest, attempt: int, deadline: float, asked: float | None = None
    ) -> float | None:
        """Seconds until another attempt, nothing when there is none or no time for it."""
        wait = self._retries.wait(attempt, asked)
        in_time = asyncio.get_running_loop().time() + wait < deadline
        return wait if in_time and self._retries.left(hop.method, attempt) else None

    async def _follow(self, hop: OutboundRequest) -> aiohttp.ClientResponse:
        start = hop
        for _ in range(_MOST_REDIRECTS + 1):
            response = await self._send(hop)
            try:
                following = redirect_request(hop, response)
            except AppError:
                response.close()
                raise
            if following is None:
                return response
            response.close()
            hop = following
        raise AppError(502, "too_many_redirects", address=origin(start.url))

    async def _send(self, hop: OutboundRequest) -> aiohttp.ClientResponse:
        host = hop.url.host or ""
        trusted = self._allowance.trusts(host)
        literal = literal_address(host)
        if literal and not trusted and not self._allowance.permits(literal):
            raise AppError(400, "address_forbidden", address=origin(hop.url))
        await self._pace.turn(host)
        proxy = self._proxy()
        socks = proxy if proxy and is_socks(proxy) else None
        session = self._session(trusted or proxy is not None, socks)
        try:
            with socks_errors() if socks else nullcontext():
                return await session.request(
                    hop.method,
                    hop.url,
                    headers=hop.headers,
                    data=hop.body,
                    allow_redirects=False,
                    proxy=None if socks else proxy,
                )
        except aiohttp.ClientConnectorError as error:
            if isinstance(error.os_error, ForbiddenAddress):
                raise AppError(400, "address_forbidden", address=origin(hop.url)) from None
            raise

    def _session(self, trusted: bool, socks: str | None) -> aiohttp.ClientSession:
        """One for hosts that are trusted by name, one whose every connection is checked.

        What goes through SOCKS has one more for each proxy that was ever set.
        """
        if (trusted, socks) not in self._sessions:
            self._sessions[trusted, socks] = aiohttp.ClientSession(
                connector=self._connector(trusted, socks),
                timeout=self._patience,
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": f"Quartet/{__version__}"},
                trust_env=False,
            )
        return self._sessions[trusted, socks]

    def _connector(self, trusted: bool, socks: str | None) -> aiohttp.BaseConnector:
        if socks:
            return socks_connector(socks, self._per_host)
        return aiohttp.TCPConnector(
            limit_per_host=self._per_host,
            resolver=self._resolver,
            use_dns_cache=False,
            socket_factory=None if trusted else self._allowance.socket_for,
        )
