"""Headers and cookies that clients give with a link, sent with the requests for its file."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from quartet.kernel.errors import AppError

MOST_HEADERS = 64
MOST_COOKIES = 200
# For all headers and cookies of a link; servers reject more.
MOST_BYTES = 16 * 1024
_LONGEST_SHOWN = 100

_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}")
_COOKIE_VALUE = re.compile(r"[\x20-\x3a\x3c-\x7e]*")
_VALUE = re.compile(r"[^\x00-\x08\x0a-\x1f\x7f]*")
# These belong to the connection or are set by the transfer engine.
_FORBIDDEN = frozenset(
    (
        *("accept-encoding", "connection", "content-length", "expect", "host", "http2-settings"),
        *("if-range", "keep-alive", "range", "te", "trailer", "transfer-encoding", "upgrade"),
    )
)
_FORBIDDEN_STARTS = ("proxy-", ":")


class RequestHeaders(NamedTuple):
    """Secret: stored encrypted, and sent to the host of the link only."""

    headers: dict[str, str] = {}
    cookies: dict[str, str] = {}

    def __repr__(self) -> str:
        return f"RequestHeaders({len(self.headers)} headers, {len(self.cookies)} cookies)"

    def __bool__(self) -> bool:
        return bool(self.headers or self.cookies)

    def as_headers(self) -> dict[str, str]:
        """Return the cookies as one more header."""
        if not self.cookies:
            return self.headers
        line = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return {**self.headers, "Cookie": line}

    def with_referer(self, page: str | None) -> "RequestHeaders":
        """Return the headers with the page as Referer, if they contain none."""
        if not page or any(name.lower() == "referer" for name in self.headers):
            return self
        referer = referer_of(page)
        return self._replace(headers={**self.headers, "Referer": referer}) if referer else self


def request_headers(
    headers: Mapping[str, str] | None = None,
    cookies: Mapping[str, str] | str | None = None,
    referer: str | None = None,
    user_agent: str | None = None,
) -> RequestHeaders:
    """Check headers and cookies; raises an error for those that must not be sent."""
    given = {**(headers or {}), **_named("Referer", referer), **_named("User-Agent", user_agent)}
    sent: dict[str, tuple[str, str]] = {}
    jar: dict[str, str] = {}
    for name, value in given.items():
        if name.lower() == "cookie":
            jar |= cookies_in(value)
        else:
            # Names differ in more than their case, or a header would be sent twice.
            sent[name.lower()] = _checked_header(name.strip(), value.strip())
    jar |= cookies_in(cookies) if isinstance(cookies, str) else cookies or {}
    found = RequestHeaders(dict(sent.values()), _checked_cookies(jar))
    _check_size(found)
    return found


def is_forbidden(name: str) -> bool:
    lower = name.strip().lower()
    return lower in _FORBIDDEN or lower.startswith(_FORBIDDEN_STARTS)


def cookies_in(text: str) -> dict[str, str]:
    """Return the cookies of a Cookie header."""
    pairs = (part.partition("=") for part in text.split(";") if part.strip())
    return {name.strip(): value.strip() for name, _, value in pairs}


def stored_headers(given: RequestHeaders) -> dict[str, Any] | None:
    """Return the headers as the encrypted column stores them."""
    return given._asdict() if given else None


def read_headers(stored: Mapping[str, Any] | None) -> RequestHeaders:
    """Return the headers that the column contains; none if the key file is lost."""
    return RequestHeaders(**stored) if stored else RequestHeaders()


def sent_headers(stored: Mapping[str, Any] | None, page: str | None) -> RequestHeaders:
    """Return the headers to send for a link that was found on a page."""
    return read_headers(stored).with_referer(page)


def require_one_host(given: RequestHeaders, hosts: Iterable[str]) -> None:
    """Reject secrets for links of several hosts, each of which would receive those of the others.

    Referer and User-Agent are not secret.
    """
    secret = {name for name in given.headers if name.lower() not in ("referer", "user-agent")}
    if (secret or given.cookies) and len(set(hosts)) > 1:
        raise AppError(400, "headers_of_several_hosts")


def referer_of(page: str) -> str | None:
    """Return the address of a page as a browser would send it: no login data, no fragment."""
    try:
        parts = urlsplit(page.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme.lower() not in ("http", "https") or not host or not _is_plain(page.strip()):
        return None
    host = f"[{host}]" if ":" in host else host
    place = f"{host}:{port}" if port else host
    return urlunsplit((parts.scheme.lower(), place, parts.path or "/", parts.query, ""))


def _is_plain(address: str) -> bool:
    return address.isascii() and address.isprintable() and " " not in address


def _named(name: str, value: str | None) -> dict[str, str]:
    return {name: value} if value and value.strip() else {}


def _checked_header(name: str, value: str) -> tuple[str, str]:
    if is_forbidden(name):
        raise AppError(400, "header_forbidden", header=name[:_LONGEST_SHOWN])
    if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value) or not _can_be_encoded(value):
        raise AppError(400, "header_invalid", header=name[:_LONGEST_SHOWN])
    return name, value


def _checked_cookies(cookies: Mapping[str, str]) -> dict[str, str]:
    for name, value in cookies.items():
        if not _NAME.fullmatch(name) or not _COOKIE_VALUE.fullmatch(value):
            raise AppError(400, "cookie_invalid", cookie=name[:_LONGEST_SHOWN])
    return dict(cookies)


def _can_be_encoded(value: str) -> bool:
    """Return whether the text contains no half of a surrogate pair."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_size(given: RequestHeaders) -> None:
    texts = (*given.headers.items(), *given.cookies.items())
    size = sum(len(name.encode()) + len(value.encode()) for name, value in texts)
    too_many = len(given.headers) > MOST_HEADERS or len(given.cookies) > MOST_COOKIES
    if too_many or size > MOST_BYTES:
        raise AppError(400, "headers_too_large", limit=MOST_BYTES)
