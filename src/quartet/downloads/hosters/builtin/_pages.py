"""Parses web pages: forms, links, sizes and durations."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import urljoin

from quartet.downloads.hosters.sdk import Page

# Longer than any hoster's page.
_LONGEST_PAGE = 500_000
_UNITS = {"b": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_SIZE = re.compile(r"(\d{1,15}(?:[.,]\d{1,6})?)\s*(?:([kmgt])i?b?|b(?:ytes?)?)\b", re.IGNORECASE)
_TIME = re.compile(r"(\d{1,6})\s*(day|hour|minute|second)", re.IGNORECASE)
_SECONDS = {"day": 86_400, "hour": 3600, "minute": 60, "second": 1}


def truncated(page: Page) -> Page:
    """Truncate the page, because a regular expression search cannot be interrupted."""
    return replace(page, body=page.body[:_LONGEST_PAGE])


class HtmlForm(NamedTuple):
    action: str
    # The fields a browser would send, without the buttons.
    fields: dict[str, str]
    buttons: dict[str, str]

    def has(self, **fields: str) -> bool:
        return fields.items() <= self.fields.items()


class _PageParser(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.forms: list[HtmlForm] = []
        self.anchors: list[dict[str, str]] = []
        self.feed(text[:_LONGEST_PAGE])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "a":
            self.anchors.append(given)
        elif tag == "form":
            self.forms.append(HtmlForm(given.get("action", ""), {}, {}))
        elif tag in ("input", "button") and self.forms and given.get("name"):
            kind = "submit" if tag == "button" else given.get("type", "text").lower()
            form = self.forms[-1]
            fields = form.buttons if kind in ("submit", "image", "button") else form.fields
            fields[given["name"]] = given.get("value", "")


def forms(text: str) -> list[HtmlForm]:
    return _PageParser(text).forms


def anchors(text: str) -> list[dict[str, str]]:
    """Return the attributes of all links."""
    return _PageParser(text).anchors


def resolved_url(base: str, address: str) -> str:
    """Resolve a link on a page; return the page itself if the link is invalid."""
    try:
        return urljoin(base, address)
    except ValueError:
        return base


def size_in(text: str) -> int | None:
    """Parse a size such as `1.5 GB`; pages round it, so it is only approximate."""
    found = _SIZE.search(text)
    if not found:
        return None
    power = _UNITS[(found[2] or "b").lower()]
    size = int(float(found[1].replace(",", ".")) * 1024**power)
    return size if size < 2**53 else None


def seconds_in(text: str) -> float:
    """Parse a duration such as `1 hour, 2 minutes, 3 seconds`."""
    return float(sum(int(count) * _SECONDS[unit.lower()] for count, unit in _TIME.findall(text)))
