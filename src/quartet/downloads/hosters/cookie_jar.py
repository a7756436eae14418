"""The cookies of one plugin and account."""

from contextlib import suppress
from http.cookies import CookieError, Morsel
from typing import NamedTuple

import aiohttp
import msgspec
from yarl import URL

MOST_COOKIES = 500


class _Cookie(NamedTuple):
    name: str
    value: str
    domain: str
    path: str
    expires: str
    secure: bool


class PluginCookieJar:
    """Used in the server's event loop only."""

    def __init__(self, stored: bytes | None = None) -> None:
        # `unsafe` also accepts cookies from IP addresses.
        self._jar = aiohttp.CookieJar(unsafe=True, quote_cookie=False)
        self._stored = stored or b"[]"
        for cookie in msgspec.json.decode(self._stored, type=list[_Cookie]):
            # One invalid cookie must not discard the whole session.
            with suppress(CookieError, ValueError):
                self._restore(cookie)

    def header(self, url: str) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.sent_to(url).items())

    def sent_to(self, url: str) -> dict[str, str]:
        return {name: each.value for name, each in self._jar.filter_cookies(URL(url)).items()}

    def add(self, lines: list[str], url: str) -> None:
        """Store the cookies of a response's `Set-Cookie` headers."""
        self._jar.update_cookies_from_headers(lines, URL(url))

    def set(self, url: str, name: str, value: str) -> None:
        self._jar.update_cookies({name: value}, URL(url))

    def changed(self) -> bytes | None:
        """Return the cookies to store, or None if they have not changed."""
        cookies = [
            _Cookie(
                each.key,
                each.value,
                each["domain"],
                each["path"],
                each["expires"],
                bool(each["secure"]),
            )
            for each in list(self._jar)[:MOST_COOKIES]
        ]
        stored = msgspec.json.encode(sorted(cookies))
        if stored == self._stored:
            return None
        self._stored = stored
        return stored

    def _restore(self, cookie: _Cookie) -> None:
        morsel: Morsel[str] = Morsel()
        # `set` would reject names that servers use and browsers accept.
        state = {"key": cookie.name, "value": cookie.value, "coded_value": cookie.value}
        morsel.__setstate__(state)  # type: ignore[attr-defined]
        for field in ("domain", "path", "expires", "secure"):
            morsel[field] = getattr(cookie, field)
        scheme = "https" if cookie.secure else "http"
        url = URL.build(scheme=scheme, host=cookie.domain, path="/")
        self._jar.update_cookies([(cookie.name, morsel)], url)
