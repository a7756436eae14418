"""Fetches the icon of a web server."""

import asyncio
import logging
import sys
from html.parser import HTMLParser
from urllib.parse import urljoin

from quartet.downloads.icons.pictures import media_type
from quartet.kernel.errors import AppError
from quartet.kernel.outbound import OutboundClient

log = logging.getLogger("quartet.downloads.icons")

LARGEST_ICON = 64 * 1024
# How much of the start page is read; browsers find their icon at its beginning as well.
PAGE_BYTES = 64 * 1024
SECONDS = 20.0
# Displayed in 16 pixels, and in twice as many on most screens.
_BEST_SIZE = "32x32"


async def fetch_icon(client: OutboundClient, address: str) -> bytes:
    """Return the icon of the web server at this address, or nothing."""
    try:
        async with asyncio.timeout(SECONDS):
            return await _picture(client, f"{address}/favicon.ico") or await _linked(
                client, f"{address}/"
            )
    except (AppError, TimeoutError) as error:
        log.debug("no icon from %s: %s", address, error)
    except Exception:
        # An unexpected answer must not stop the icons of the others.
        log.exception("the icon of %s could not be read", address)
    return b""


async def _picture(client: OutboundClient, url: str) -> bytes:
    try:
        answer = await client.get(url, max_bytes=LARGEST_ICON)
    except AppError as error:
        if error.code == "too_large":
            return b""
        raise
    return answer.body if answer.ok and media_type(answer.body) else b""


async def _linked(client: OutboundClient, url: str) -> bytes:
    """Return the icon that the page names."""
    page = b""
    async with client.stream(url, max_bytes=sys.maxsize) as answer:
        if not 200 <= answer.status < 300:
            return b""
        async for chunk in answer.chunks():
            page += chunk
            if len(page) >= PAGE_BYTES:
                break
    parser = _IconLinks(answer.url)
    parser.feed(page[:PAGE_BYTES].decode("utf-8", "replace"))
    if not parser.best:
        return b""
    return await _picture(client, urljoin(parser.base, parser.best))


class _IconLinks(HTMLParser):
    """Finds the icon of a page: the one of the best size, otherwise the first one."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.base = url
        self._has_base = False
        self.best = ""
        self._is_best = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: (value or "").strip() for name, value in attrs}
        if tag == "base" and given.get("href") and not self._has_base:
            # The first one counts; joining thousands would block the other requests.
            self._has_base = True
            self.base = urljoin(self.base, given["href"])
        if tag != "link" or "icon" not in given.get("rel", "").lower().split():
            return
        is_best = given.get("sizes", "").lower() == _BEST_SIZE
        is_vector = "svg" in given.get("type", "") or given.get("href", "").endswith(".svg")
        if given.get("href") and not is_vector and (not self.best or is_best > self._is_best):
            self.best, self._is_best = given["href"], is_best
