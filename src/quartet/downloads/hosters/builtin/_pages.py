"""Pages made for people: their forms, and the sizes and times they speak of."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import urljoin

from quartet.downloads.hosters.sdk import Page

# More than any page of a hoster has.
_LONGEST_PAGE = 500_000
_UNITS = {"b": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_SIZE = re.compile(r"(\d{1,15}(?:[.,]\d{1,6})?)\s*(?:([kmgt])i?b?|b(?:ytes?)?)\b", re.IGNORECASE)
_TIME = re.compile(r"(\d{1,6})\s*(day|hour|minute|second)", re.IGNORECASE)
_SECONDS = {"day": 86_400, "hour": 3600, "minute": 60, "second": 1}


def cut(page: Page) -> Page:
    """All that is worth a search, which cannot be interrupted and holds up everything else."""
    return replace(page, body=page.body[:_LONGEST_PAGE])


class Form(NamedTuple):
    action: str
    # What a browser would send, without the buttons.
    fields: dict[str, str]
    buttons: dict[str, str]

    def has(self, **fields: str) -> bool:
        return fields.items() <= self.fields.items()


class _Reader(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.anchors: list[dict[str, str]] = []
        self.feed(text[:_LONGEST_PAGE])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "a":
            self.anchors.append(given)
        elif tag == "form":
            self.forms.append(Form(given.get("action", ""), {}, {}))
        elif tag in ("input", "button") and self.forms and given.get("name"):
            kind = "submit" if tag == "button" else given.get("type", "text").lower()
            form = self.forms[-1]
            fields = form.buttons if kind in ("submit", "image", "button") else form.fields
            fields[given["name"]] = given.get("value", "")


def forms(text: str) -> list[Form]:
    return _Reader(text).forms


def anchors(text: str) -> list[dict[str, str]]:
    """The attributes of all links."""
    return _Reader(text).anchors


def joined(base: str, address: str) -> str:
    """Where a link on a page leads to; the page itself if that is no address."""
    try:
        return urljoin(base, address)
    except ValueError:
        return base


def size_in(text: str) -> int | None:
    """Of `1.5 GB`; pages round, so this is only good to be shown."""
    found = _SIZE.search(text)
    if not found:
        return None
    power = _UNITS[(found[2] or "b").lower()]
    size = int(float(found[1].replace(",", ".")) * 1024**power)
    return size if size < 2**53 else None


def seconds_in(text: str) -> float:
    """Of `1 hour, 2 minutes, 3 seconds`."""
    return float(sum(int(count) * _SECONDS[unit.lower()] for count, unit in _TIME.findall(text)))
