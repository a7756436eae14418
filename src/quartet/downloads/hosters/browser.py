"""Sends the HTTP requests of plugins, with their cookies and within limits."""

import re
from collections.abc import Mapping
from typing import Any

from quartet.downloads.hosters.context import RequestOptions
from quartet.downloads.hosters.cookie_jar import PluginCookieJar
from quartet.downloads.hosters.plugin_types import Page
from quartet.downloads.transfer import Job
from quartet.kernel.errors import AppError
from quartet.kernel.outbound import OutboundClient, ResponseStream
from quartet.kernel.outbound.redirects import (
    REDIRECTS,
    OutboundRequest,
    StreamOptions,
    follow_redirect,
    initial_request,
    origin,
)

LARGEST_PAGE = 16 * 1024 * 1024
SECONDS = 60.0
MOST_SECONDS = 300.0
MOST_REDIRECTS = 10
_READABLE = re.compile(r"text/|.*(json|xml|javascript|x-www-form-urlencoded)|$", re.IGNORECASE)


class PluginBrowser:
    def __init__(self, outbound: OutboundClient, jar: PluginCookieJar) -> None:
        self._outbound = outbound
        self._jar = jar

    async def request(self, method: str, url: str, options: RequestOptions) -> Page:
        # Use the user agent of the transfer engine, because some hosters compare the two.
        agent = {"User-Agent": Job.user_agent}
        given: dict[str, Any] = {**options, "headers": {**agent, **options.get("headers", {})}}
        follow, read = given.pop("follow", True), given.pop("read", False)
        seconds = min(float(given.pop("timeout", SECONDS)), MOST_SECONDS)
        request = initial_request(method, url, given)  # type: ignore[arg-type]
        for _ in range(MOST_REDIRECTS + 1):
            page = await self._send(request, seconds, read=read)
            location = page.headers.get("location")
            if not follow or page.status not in REDIRECTS or not location:
                return page
            request = follow_redirect(request, page.status, location)
        raise AppError(502, "too_many_redirects", address=origin(request.url))

    async def cookies(self, url: str) -> dict[str, str]:
        return self._jar.sent_to(url)

    async def set_cookie(self, url: str, name: str, value: str) -> None:
        self._jar.set(url, name, value)

    async def _send(self, request: OutboundRequest, seconds: float, *, read: bool) -> Page:
        url, headers = str(request.url), dict(request.headers)
        if cookies := self._jar.header(url):
            headers.setdefault("Cookie", cookies)
        options: StreamOptions = {"headers": headers, "timeout": seconds, "follow": False}
        if request.body is not None:
            options["body"] = request.body
        async with self._outbound.stream(
            url,
            method=request.method,
            max_bytes=LARGEST_PAGE if request.method != "HEAD" else 2**63,
            **options,
        ) as response:
            self._jar.add(response.headers.getall("Set-Cookie", []), url)
            return await _page(response, read=read)


async def _page(response: ResponseStream, *, read: bool) -> Page:
    headers = {name.lower(): value for name, value in response.headers.items()}
    if not read and _is_file(response.status, headers):
        return Page(response.status, response.url, headers, b"", file=True)
    body = b"".join([chunk async for chunk in response.chunks()])
    return Page(response.status, response.url, headers, body)


def _is_file(status: int, headers: Mapping[str, str]) -> bool:
    if status not in (200, 206):
        return False
    if headers.get("content-disposition", "").lower().startswith("attachment"):
        return True
    return not _READABLE.match(headers.get("content-type", "").partition(";")[0].strip())
