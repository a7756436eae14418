"""Reads RSS and Atom feeds."""

import hashlib
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from quartet.downloads.feeds.types import FeedDocument, FeedEntry
from quartet.downloads.input_cleanup import clean_text
from quartet.kernel.errors import AppError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MOST_ENTRIES = 1000
MOST_LINKS = 50
# An element takes up to 350 bytes of memory.
_MOST_TAGS = 200_000
_ROOTS = ("rss", "RDF", "feed")
# The first tag of a feed, somewhere at its beginning.
_BEGINNING = re.compile(rb"<(?:rss|feed|rdf:RDF)[\s>]")
_HEAD = 2000


def read_feed(url: str, body: bytes) -> FeedDocument:
    from defusedxml import DefusedXmlException  # type: ignore[import-untyped]
    from defusedxml.ElementTree import ParseError, fromstring  # type: ignore[import-untyped]

    if body.count(b"<") > _MOST_TAGS:
        raise AppError(400, "feed_invalid")
    try:
        root = fromstring(body)
    except ParseError as error:
        if not _BEGINNING.search(body[:_HEAD]):
            raise AppError(400, "feed_invalid") from None
        line, column = error.position
        raise AppError(400, "feed_broken", line=line, column=column + 1) from None
    except (DefusedXmlException, ValueError, LookupError):
        raise AppError(400, "feed_invalid") from None
    if _tag(root) not in _ROOTS:
        raise AppError(400, "feed_invalid")
    channel = next((each for each in root if _tag(each) == "channel"), root)
    parents = [root] if channel is root else [root, channel]
    # Not entries inside of entries: reading those again and again would take hours.
    inside = (each for parent in parents for each in parent)
    found = [each for each in inside if _tag(each) in ("item", "entry")][:MOST_ENTRIES]
    entries = [entry for each in found if (entry := _entry(url, each))]
    return FeedDocument(_text(channel, "title"), entries)


def _entry(url: str, item: "Element") -> FeedEntry | None:
    enclosures = list(_enclosures(item))
    addresses = [address for address, _ in enclosures] or [*_magnets(item)] or [_link(item)]
    links = [_joined(url, address) for address in addresses if address]
    key = _text(item, "guid") or _text(item, "id") or (links[0] if links else "")
    if not links or not key:
        return None
    digest = hashlib.sha256(key.encode()).hexdigest()[:32]
    sizes = [size for _, size in enclosures if size]
    title = _text(item, "title")[:500] or links[0]
    return FeedEntry(digest, title, links[:MOST_LINKS], sizes[0] if len(sizes) == 1 else None)


def _enclosures(item: "Element") -> Iterator[tuple[str, int | None]]:
    """Return the addresses and sizes of the files of RSS, Media RSS and Atom."""
    for each in item.iter():
        tag, given = _tag(each), each.attrib
        if tag == "enclosure" or (tag == "content" and given.get("url")):
            yield given.get("url", ""), _size(given.get("length") or given.get("fileSize"))
        elif tag == "link" and given.get("rel") == "enclosure":
            yield given.get("href", ""), _size(given.get("length"))


def _magnets(item: "Element") -> Iterator[str]:
    yield from (each.text or "" for each in item.iter() if _tag(each) == "magnetURI")


def _link(item: "Element") -> str:
    for each in item:
        if _tag(each) == "link" and each.get("rel", "alternate") == "alternate":
            return (each.text or "").strip() or each.get("href", "")
    guid = _text(item, "guid")
    return guid if guid.startswith(("http://", "https://", "magnet:")) else ""


def _joined(url: str, address: str) -> str:
    address = clean_text(address)
    if address.startswith("magnet:"):
        return address
    try:
        return urljoin(url, address)
    except ValueError:
        return address


def _tag(element: "Element") -> str:
    return str(element.tag).rpartition("}")[2]


def _text(item: "Element", name: str) -> str:
    found = next((each for each in item if _tag(each) == name), None)
    return clean_text(" ".join("".join(found.itertext()).split())) if found is not None else ""


def _size(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 16 else None
