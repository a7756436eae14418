"""Fetches a document and decides what it is."""

import asyncio
import gzip
import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from quartet.downloads.request_headers import RequestHeaders
from quartet.downloads.webpages.addresses import is_playlist_address
from quartet.downloads.webpages.html_page import read_html
from quartet.downloads.webpages.lists import (
    FILE,
    media,
    read_json_index,
    read_playlist,
    read_xml,
)
from quartet.downloads.webpages.types import BadStatus, Document

if TYPE_CHECKING:
    # Imported late, because it is not needed at startup.
    from quartet.kernel.outbound import OutboundClient

SECONDS = 30.0
BODY_SECONDS = 120.0
MOST_BYTES = 16 * 1024 * 1024
_HTML = ("text/html", "application/xhtml+xml")
_XML = ("text/xml", "application/xml", "application/dash+xml")
_PLAYLISTS = (
    "application/vnd.apple.mpegurl",
    "application/x-mpegurl",
    "application/mpegurl",
    "audio/mpegurl",
    "audio/x-mpegurl",
)
_GZIP = b"\x1f\x8b"


class Fetched(NamedTuple):
    document: Document
    # The address after all redirects.
    url: str
    size: int


async def fetch(outbound: "OutboundClient", url: str, own: RequestHeaders) -> Fetched:
    """Fetch a document; the body of a file is not read. Raises `BadStatus` and `AppError`."""
    async with outbound.stream(
        url,
        max_bytes=MOST_BYTES,
        own_headers=own.as_headers(),
        timeout=SECONDS,
        body_seconds=BODY_SECONDS,
    ) as answer:
        if answer.status != 200:
            raise BadStatus(answer.status)
        kind = _kind(answer.headers)
        address = url if is_playlist_address(url) else answer.url
        if not _is_document(kind, address, answer.headers):
            return Fetched(FILE, answer.url, 0)
        body = b"".join([chunk async for chunk in answer.chunks()])
    # Parsing takes up to a second for the largest documents.
    document = await asyncio.to_thread(_read, answer.url, kind, body, answer.headers)
    return Fetched(document, answer.url, len(body))


def _kind(headers: Mapping[str, str]) -> str:
    return headers.get("Content-Type", "").partition(";")[0].strip().lower()


def _is_document(kind: str, url: str, headers: Mapping[str, str]) -> bool:
    if is_playlist_address(url):
        return True
    if headers.get("Content-Disposition", "").lower().startswith("attachment"):
        return False
    known = (*_HTML, *_XML, *_PLAYLISTS, "application/json")
    return kind in known or url.lower().partition("?")[0].endswith((".xml", ".xml.gz"))


def _read(url: str, kind: str, body: bytes, headers: Mapping[str, str]) -> Document:
    if body.startswith(_GZIP):
        body = _unpacked(body)
    start = body[:2000].lstrip(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"#EXTM3U") or kind in _PLAYLISTS:
        return read_playlist(url, body.decode("utf-8", "replace"))
    if kind in _HTML:
        from quartet.kernel.outbound.responses import decoded

        return read_html(url, decoded(body, _charset(headers)))
    if kind == "application/json":
        return read_json_index(url, body)
    if start.startswith(b"<"):
        return media(url) if b"<MPD" in start else read_xml(url, body)
    if is_playlist_address(url):
        return read_playlist(url, body.decode("utf-8", "replace"))
    return FILE


def _unpacked(body: bytes) -> bytes:
    """Return the content of a compressed sitemap, which is cut off at the limit."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(body)) as file:
            return file.read(MOST_BYTES)
    except (OSError, EOFError):
        return b""


def _charset(headers: Mapping[str, str]) -> str:
    _, _, given = headers.get("Content-Type", "").lower().partition("charset=")
    return given.partition(";")[0].strip(" \"'") or "utf-8"
