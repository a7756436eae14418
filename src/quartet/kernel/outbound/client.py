"""The HTTP client that all services use."""

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

_MAX_REDIRECTS = 5


class OutboundClient:
    """Reaches only public addresses unless `allow_private` allows others.

    Addresses are checked when the connection is opened, so neither redirects nor DNS changes can
    bypass the check. `proxy` is called for every request; behind a proxy only literal IP addresses
    can be checked.
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
        self._client_timeout = aiohttp.ClientTimeout(
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
        """Return the whole response; `timeout` covers all attempts and redirects."""
        limit = options.get("max_bytes", self._max_bytes)

        async def take(response: aiohttp.ClientResponse) -> OutboundResponse:
            try:
                stream = ResponseStream(response, limit)
                body = b"".join([chunk async for chunk in stream.raw_chunks()])
                return OutboundResponse(stream.status, stream.headers, stream.url, body)
            finally:
                response.close()

        return await self._request_with_deadline(
            initial_request(method, url, options), options, take
        )

    @asynccontextmanager
    async def stream(
        self,
        url: str,
        *,
        max_bytes: int,
        method: str = "GET",
        body_seconds: float | None = None,
        **options: Unpack[StreamOptions],
    ) -> AsyncIterator[ResponseStream]:
        """Stream a large response; `timeout` covers the headers, `read_timeout` each later read.

        A hostile server can send a byte now and then without end, so what occupies a place while it
        is read needs a limit for the whole body.
        """

        async def take(response: aiohttp.ClientResponse) -> aiohttp.ClientResponse:
            return response

        response = await self._request_with_deadline(
            initial_request(method, url, options), options, take
        )
        now = asyncio.get_running_loop().time()
        deadline = None if body_seconds is None else now + body_seconds
        try:
            yield ResponseStream(response, max_bytes, deadline)
        finally:
            response.close()

    async def _request_with_deadline(
        self,
        request: OutboundRequest,
        options: StreamOptions,
        take: Callable[[aiohttp.ClientResponse], Awaitable[T]],
    ) -> T:
        deadline = asyncio.get_running_loop().time() + options.get("timeout", self._timeout)
        with app_errors(request.url):
            async with asyncio.timeout_at(deadline):
                return await self._try(request, take, deadline)

    async def _try(
        self,
        request: OutboundRequest,
        take: Callable[[aiohttp.ClientResponse], Awaitable[T]],
        deadline: float,
    ) -> T:
        attempt = 0
        while True:
            try:
                response = await self._follow(request)
                asked = retry_after(response.headers)
                wait = self._wait(request, attempt, deadline, asked)
                if wait is None or not is_temporary_status(response.status):
                    return await take(response)
                response.close()
            except aiohttp.ClientError as error:
                wait = self._wait(request, attempt, deadline)
                if wait is None or not is_temporary_error(error):
                    raise
            await asyncio.sleep(wait)
            attempt += 1

    def _wait(
        self, request: OutboundRequest, attempt: int, deadline: float, asked: float | None = None
    ) -> float | None:
        """Return the seconds until the next attempt, or None to give up."""
        wait = self._retries.wait(attempt) if asked is None else asked
        if wait > self._retries.max_wait:
            return None
        in_time = asyncio.get_running_loop().time() + wait < deadline
        return wait if in_time and self._retries.left(request.method, attempt) else None

    async def _follow(self, request: OutboundRequest) -> aiohttp.ClientResponse:
        start = request
        for _ in range(_MAX_REDIRECTS + 1):
            response = await self._send(request)
            try:
                redirect = redirect_request(request, response)
            except AppError:
                response.close()
                raise
            if redirect is None:
                return response
            response.close()
            request = redirect
        raise AppError(502, "too_many_redirects", address=origin(start.url))

    async def _send(self, request: OutboundRequest) -> aiohttp.ClientResponse:
        host = request.url.host or ""
        trusted = self._allowance.trusts(host)
        literal = literal_address(host)
        if literal and not trusted and not self._allowance.permits(literal):
            raise AppError(400, "address_forbidden", address=origin(request.url))
        await self._pace.wait_for_slot(host)
        proxy = self._proxy()
        socks = proxy if proxy and is_socks(proxy) else None
        session = self._session(trusted or proxy is not None, socks)
        try:
            with socks_errors() if socks else nullcontext():
                return await session.request(
                    request.method,
                    request.url,
                    headers=request.headers,
                    data=request.body,
                    allow_redirects=False,
                    proxy=None if socks else proxy,
                )
        except aiohttp.ClientConnectorError as error:
            if isinstance(error.os_error, ForbiddenAddress):
                raise AppError(400, "address_forbidden", address=origin(request.url)) from None
            raise

    def _session(self, trusted: bool, socks: str | None) -> aiohttp.ClientSession:
        """Return the session: one for hosts trusted by name, one with checked connections.

        Each SOCKS proxy has its own session.
        """
        if (trusted, socks) not in self._sessions:
            self._sessions[trusted, socks] = aiohttp.ClientSession(
                connector=self._connector(trusted, socks),
                timeout=self._client_timeout,
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
