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


class Jar:
    """Lives in the server's loop."""

    def __init__(self, kept: bytes | None = None) -> None:
        # `unsafe` accepts cookies of numeric addresses as well.
        self._jar = aiohttp.CookieJar(unsafe=True, quote_cookie=False)
        self._kept = kept or b"[]"
        for cookie in msgspec.json.decode(self._kept, type=list[_Cookie]):
            # One that cannot be sent any more is not worth the session of all others.
            with suppress(CookieError, ValueError):
                self._restore(cookie)

    def header(self, url: str) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.sent_to(url).items())

    def sent_to(self, url: str) -> dict[str, str]:
        return {name: each.value for name, each in self._jar.filter_cookies(URL(url)).items()}

    def take(self, lines: list[str], url: str) -> None:
        """From the `Set-Cookie` lines of an answer."""
        self._jar.update_cookies_from_headers(lines, URL(url))

    def set(self, url: str, name: str, value: str) -> None:
        self._jar.update_cookies({name: value}, URL(url))

    def news(self) -> bytes | None:
        """What is to be kept, if it differs from what was kept last."""
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
        kept = msgspec.json.encode(sorted(cookies))
        if kept == self._kept:
            return None
        self._kept = kept
        return kept

    def _restore(self, cookie: _Cookie) -> None:
        morsel: Morsel[str] = Morsel()
        # Not `set`, which refuses names that servers give and browsers take.
        state = {"key": cookie.name, "value": cookie.value, "coded_value": cookie.value}
        morsel.__setstate__(state)  # type: ignore[attr-defined]
        for field in ("domain", "path", "expires", "secure"):
            morsel[field] = getattr(cookie, field)
        scheme = "https" if cookie.secure else "http"
        url = URL.build(scheme=scheme, host=cookie.domain, path="/")
        self._jar.update_cookies([(cookie.name, morsel)], url)
