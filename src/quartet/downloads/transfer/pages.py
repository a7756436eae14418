"""Recognises web pages that a server sends instead of a file, and .torrent and Metalink files."""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from quartet.downloads.transfer.names import name_hint

LARGEST_CONTAINER = 8 << 20
_PAGES = ("text/html", "application/xhtml+xml")
_PAGE_NAME = re.compile(r"\.x?html?$", re.IGNORECASE)
_SHOWN_TEXT = 80
_SEARCHED_BYTES = 8 * 1024
_CONTAINERS = ("application/x-bittorrent", "application/metalink4+xml", "application/metalink+xml")
_CONTAINER_NAME = re.compile(r"\.(torrent|metalink|meta4)$", re.IGNORECASE)


def is_web_page(headers: Mapping[str, str]) -> bool:
    """Return whether an HTML page was sent instead of a file: a login, an error or an advert."""
    kind = headers.get("content-type", "").split(";")[0].strip().lower()
    return kind in _PAGES and "content-disposition" not in headers


def is_page_name(url: str) -> bool:
    """Return whether the address names a page, so that a page is the expected file."""
    if "htm" not in url.lower():
        return False
    try:
        return bool(_PAGE_NAME.search(urlsplit(url).path))
    except ValueError:
        return False


def is_container(headers: Mapping[str, str], url: str, size: int | None) -> bool:
    """Return whether a response is a .torrent or Metalink file; a larger one cannot be opened."""
    kind = headers.get("content-type", "").split(";")[0].strip().lower()
    name = name_hint(headers.get("content-disposition"), url) or ""
    return (kind in _CONTAINERS or is_container_name(name)) and (size or 0) <= LARGEST_CONTAINER


def is_container_name(name: str) -> bool:
    return bool(_CONTAINER_NAME.search(name))


def page_text(page: bytes) -> str:
    """Return the title of a page, or its first visible words."""
    # The start is enough, and searching a hostile page takes the square of its length.
    text = page[:_SEARCHED_BYTES].decode("utf-8", "replace")
    title = re.search(r"<title[^>]*>(.*?)</title", text, re.IGNORECASE | re.DOTALL)
    if title is None:
        text = re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>?", " ", text, flags=re.I | re.S)
    return " ".join((title[1] if title else text).split())[:_SHOWN_TEXT]
