"""Recognises web pages that a server sends instead of a file."""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

_PAGES = ("text/html", "application/xhtml+xml")
_PAGE_NAME = re.compile(r"\.x?html?$", re.IGNORECASE)
_SHOWN_TEXT = 80


def is_web_page(headers: Mapping[str, str]) -> bool:
    """Return whether an HTML page was sent instead of a file: a login, an error or an advert."""
    kind = headers.get("content-type", "").split(";")[0].strip().lower()
    return kind in _PAGES and "content-disposition" not in headers


def is_page_name(url: str) -> bool:
    """Return whether the address names a page, so that a page is the expected file."""
    try:
        return bool(_PAGE_NAME.search(urlsplit(url).path))
    except ValueError:
        return False


def page_text(page: bytes) -> str:
    """Return the title of a page, or its first visible words."""
    text = page.decode("utf-8", "replace")
    title = re.search(r"<title[^>]*>(.*?)</title", text, re.IGNORECASE | re.DOTALL)
    if title is None:
        text = re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>?", " ", text, flags=re.I | re.S)
    return " ".join((title[1] if title else text).split())[:_SHOWN_TEXT]
