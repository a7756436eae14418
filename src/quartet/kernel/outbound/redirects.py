"""One request on its way, and the next one when the answer points elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypedDict
from urllib.parse import urlencode

import aiohttp
import msgspec
from multidict import CIMultiDict
from yarl import URL

from quartet.kernel.errors import AppError

REDIRECTS = (301, 302, 303, 307, 308)
_KEEP_METHOD = (307, 308)
_SECRETS = ("Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key")
_ABOUT_BODY = ("Content-Type", "Content-Length", "Content-Encoding")


class StreamOptions(TypedDict, total=False):
    """What a caller may add to a request; one of `body`, `json` and `form` is sent.

    Without `follow` a redirect is the answer.
    """

    query: Mapping[str, str]
    headers: Mapping[str, str]
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


def origin(url: URL) -> str:
    """What may be shown of an address: neither credentials nor path nor query."""
    return str(url.origin())


def initial_request(method: str, url: str, options: StreamOptions) -> OutboundRequest:
    target = parse_url(url)
    if query := options.get("query"):
        target = target.update_query(query)
    headers = CIMultiDict(options.get("headers", {}))
    body = options.get("body")
    if "json" in options:
        body = msgspec.json.encode(options["json"])
        headers.setdefault("Content-Type", "application/json")
    elif "form" in options:
        body = urlencode(options["form"]).encode()
        headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
    return OutboundRequest(method.upper(), target, headers, body, options.get("follow", True))


def parse_url(text: str) -> URL:
    """An address somebody gave; what is refused is not echoed, it may hold a password."""
    try:
        url = URL(text.strip())
    except ValueError:
        raise AppError(400, "bad_address") from None
    if not _acceptable(url):
        raise AppError(400, "bad_address")
    return url


def redirect_request(
    hop: OutboundRequest, response: aiohttp.ClientResponse
) -> OutboundRequest | None:
    """Where a redirect leads; nothing when the answer is final."""
    location = response.headers.get("Location")
    if not hop.follow or response.status not in REDIRECTS or not location:
        return None
    return follow_redirect(hop, response.status, location)


def follow_redirect(hop: OutboundRequest, status: int, location: str) -> OutboundRequest:
    url = _join(hop.url, location)
    if hop.url.scheme == "https" and url.scheme == "http":
        raise AppError(400, "address_forbidden", address=origin(url))
    hop = replace(hop, url=url, headers=_headers_for(hop, url))
    if status in _KEEP_METHOD or hop.method in ("GET", "HEAD"):
        return hop
    headers = hop.headers.copy()
    for name in _ABOUT_BODY:
        headers.popall(name, None)
    return replace(hop, method="GET", headers=headers, body=None)


def _join(base: URL, location: str) -> URL:
    try:
        url = base.join(URL(location)).with_fragment(None)
    except ValueError:
        raise AppError(502, "bad_answer", address=origin(base)) from None
    if not _acceptable(url):
        raise AppError(502, "bad_answer", address=origin(base))
    return url


def _acceptable(url: URL) -> bool:
    host = url.raw_host
    return (
        url.scheme in ("http", "https")
        and bool(host)
        and not any(char.isspace() for char in host or "")
        and url.raw_user is None
        and url.raw_password is None
    )


def _headers_for(hop: OutboundRequest, url: URL) -> CIMultiDict[str]:
    headers = hop.headers.copy()
    if (url.scheme, url.host, url.port) != (hop.url.scheme, hop.url.host, hop.url.port):
        for name in _SECRETS:
            headers.popall(name, None)
    return headers
