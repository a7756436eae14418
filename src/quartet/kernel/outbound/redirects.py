"""Outgoing requests and their redirects."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypedDict
from urllib.parse import urlencode

import aiohttp
import msgspec
from multidict import CIMultiDict
from yarl import URL

from quartet.kernel.errors import AppError, RedirectedElsewhere

REDIRECTS = (301, 302, 303, 307, 308)
_METHOD_PRESERVING = (307, 308)
_SECRETS = ("Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key")
_BODY_HEADERS = ("Content-Type", "Content-Length", "Content-Encoding")


class StreamOptions(TypedDict, total=False):
    """Options of a request; at most one of `body`, `json` and `form` is sent.

    Without `follow`, redirects are returned as responses.
    """

    query: Mapping[str, str]
    headers: Mapping[str, str]
    # Sent to the first origin only.
    own_headers: Mapping[str, str]
    body: bytes
    json: object
    form: Mapping[str, str]
    timeout: float
    follow: bool


class Options(StreamOptions, total=False):
    max_bytes: int


@dataclass(frozen=True)
class OutboundRequest:
    method: str
    url: URL = field(repr=False)
    headers: CIMultiDict[str] = field(repr=False)
    body: bytes | None = field(repr=False)
    follow: bool = True
    # The names of headers that must not be sent to another origin.
    own: frozenset[str] = frozenset()


def origin(url: URL) -> str:
    """Return the part of a URL that may be shown: no credentials, path or query."""
    return str(url.origin())


def initial_request(method: str, url: str, options: StreamOptions) -> OutboundRequest:
    target = parse_url(url)
    if query := options.get("query"):
        target = target.update_query(query)
    own = options.get("own_headers", {})
    headers = CIMultiDict({**options.get("headers", {}), **own})
    body = options.get("body")
    if "json" in options:
        body = msgspec.json.encode(options["json"])
        headers.setdefault("Content-Type", "application/json")
    elif "form" in options:
        body = urlencode(options["form"]).encode()
        headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
    follow = options.get("follow", True)
    return OutboundRequest(method.upper(), target, headers, body, follow, frozenset(own))


def parse_url(text: str) -> URL:
    """Parse a URL. Errors do not contain it, because it may include a password."""
    try:
        url = URL(text.strip())
    except ValueError:
        raise AppError(400, "bad_address") from None
    if not _is_valid_url(url):
        raise AppError(400, "bad_address")
    return url


def redirect_request(
    request: OutboundRequest, response: aiohttp.ClientResponse
) -> OutboundRequest | None:
    """Return the request that follows a redirect; None if the response is final."""
    location = response.headers.get("Location")
    if not request.follow or response.status not in REDIRECTS or not location:
        return None
    return follow_redirect(request, response.status, location)


def follow_redirect(request: OutboundRequest, status: int, location: str) -> OutboundRequest:
    url = _join(request.url, location)
    if request.url.scheme == "https" and url.scheme == "http":
        raise AppError(400, "address_forbidden", address=origin(url))
    request = replace(request, url=url, headers=_headers_for(request, url))
    if status in _METHOD_PRESERVING or request.method in ("GET", "HEAD"):
        return request
    headers = request.headers.copy()
    for name in _BODY_HEADERS:
        headers.popall(name, None)
    return replace(request, method="GET", headers=headers, body=None)


def _join(base: URL, location: str) -> URL:
    try:
        url = base.join(URL(location)).with_fragment(None)
    except ValueError:
        raise AppError(502, "bad_answer", address=origin(base)) from None
    if not _is_valid_url(url):
        raise RedirectedElsewhere(location, address=origin(base))
    return url


def _is_valid_url(url: URL) -> bool:
    host = url.raw_host
    return (
        url.scheme in ("http", "https")
        and bool(host)
        and not any(char.isspace() for char in host or "")
        and url.raw_user is None
        and url.raw_password is None
    )


def _headers_for(request: OutboundRequest, url: URL) -> CIMultiDict[str]:
    headers = request.headers.copy()
    if (url.scheme, url.host, url.port) != (request.url.scheme, request.url.host, request.url.port):
        for name in (*_SECRETS, *request.own):
            headers.popall(name, None)
    return headers
