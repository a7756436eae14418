"""Reads lists that are no web pages: S3 buckets, sitemaps, playlists and indexes of nginx."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, unquote, urlencode, urljoin, urlsplit, urlunsplit

import msgspec

from quartet.downloads.webpages.addresses import folder_name, is_page_address
from quartet.downloads.webpages.types import Document, FoundLink

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

FILE = Document("file")
# What only playlists of streams contain.
_STREAM = re.compile(
    r"^#EXT-X-(STREAM-INF|TARGETDURATION|MEDIA-SEQUENCE|MEDIA|PLAYLIST-TYPE)\b", re.MULTILINE
)
_FOLDERS = ("directory", "dir", "collection")
# Of the largest sitemap that the standard allows. An element takes up to 350 bytes of memory.
_MOST_TAGS = 700_000


class _JsonEntry(msgspec.Struct):
    name: str
    type: str
    size: int | None = None


def read_playlist(url: str, text: str) -> Document:
    """Return the files of a playlist, or the stream that it describes."""
    if _STREAM.search(text):
        return media(url)
    lines = [line.strip() for line in text.lstrip("\ufeff").splitlines()]
    found = [_joined(url, line) for line in lines if line and not line.startswith("#")]
    links = [FoundLink(each) for each in found if each]
    return Document("list", links=links) if links else FILE


def media(url: str) -> Document:
    """Return a stream as one download, which the mark gives to the yt-dlp plugin."""
    return Document("media", links=[FoundLink(f"{url.partition('#')[0]}#media")])


def read_json_index(url: str, body: bytes) -> Document:
    """Read an index of nginx with `autoindex_format json`."""
    try:
        entries = msgspec.json.decode(body, type=list[_JsonEntry])
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return FILE
    return _index(url, [(each.name, each.type in _FOLDERS, each.size) for each in entries])


def read_xml(url: str, body: bytes) -> Document:
    from defusedxml import DefusedXmlException  # type: ignore[import-untyped]
    from defusedxml.ElementTree import ParseError, fromstring  # type: ignore[import-untyped]

    if body.count(b"<") > _MOST_TAGS:
        return FILE
    try:
        root = fromstring(body)
    except (ParseError, DefusedXmlException, ValueError):
        return FILE
    match _tag(root):
        case "ListBucketResult":
            return _bucket(url, root)
        case "urlset" | "sitemapindex":
            return _sitemap(root)
        case "MPD":
            return media(url)
        case "list":
            entries = [
                (each.text or "", _tag(each) in _FOLDERS, _size(each.get("size"))) for each in root
            ]
            return _index(url, entries)
        case _:
            return FILE


def _index(url: str, entries: list[tuple[str, bool, int | None]]) -> Document:
    start = urljoin(url, ".")
    usable = [each for each in entries if each[0].strip("/.") and "/" not in each[0].rstrip("/")]
    files = [
        FoundLink(start + quote(name), name, size) for name, folder, size in usable if not folder
    ]
    folders = [
        FoundLink(f"{start}{quote(name)}/", folder=name) for name, folder, _ in usable if folder
    ]
    return Document("index", folder_name(url), files, folders)


def _bucket(url: str, root: "Element") -> Document:
    """Read a listing of an S3 bucket; the names of objects contain their folders."""
    encoded = _text(root, "EncodingType") == "url"
    prefix = _text(root, "Prefix")
    top = unquote(prefix) if encoded else prefix
    top = top[: top.rfind("/") + 1]
    links, last = [], ""
    for entry in _children(root, "Contents"):
        last = _text(entry, "Key")
        key = unquote(last) if encoded else last
        if key and not key.endswith("/"):
            folder, _, name = key.removeprefix(top).rpartition("/")
            links.append(
                FoundLink(_object_url(url, key), name, _size(_text(entry, "Size")), folder)
            )
    rest = _continued(url, root, last) if _text(root, "IsTruncated") == "true" else None
    return Document("index", _text(root, "Name"), links, [*_prefixes(url, root, encoded)], rest)


def _object_url(url: str, key: str) -> str:
    parts = urlsplit(url)
    path = f"{parts.path.rstrip('/')}/{quote(key)}"
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def _prefixes(url: str, root: "Element", encoded: bool) -> Iterator[FoundLink]:
    """Return the folders of a listing that was requested with a delimiter."""
    for entry in _children(root, "CommonPrefixes"):
        prefix = _text(entry, "Prefix")
        prefix = unquote(prefix) if encoded else prefix
        yield FoundLink(
            _with_query(url, prefix=prefix), folder=prefix.rstrip("/").rpartition("/")[2]
        )


def _continued(url: str, root: "Element", last: str) -> str | None:
    if token := _text(root, "NextContinuationToken"):
        return _with_query(url, **{"list-type": "2", "continuation-token": token})
    marker = _text(root, "NextMarker") or last
    return _with_query(url, marker=marker) if marker else None


def _with_query(url: str, **changed: str) -> str:
    parts = urlsplit(url)
    kept = [(name, value) for name, value in parse_qsl(parts.query, True) if name not in changed]
    return urlunsplit(parts._replace(query=urlencode([*kept, *changed.items()])))


def _sitemap(root: "Element") -> Document:
    addresses = [
        (each.text or "").strip()
        for each in root.iter()
        if _tag(each) in ("loc", "content_loc") and each.text
    ]
    nested = _tag(root) == "sitemapindex"
    pages = [FoundLink(each) for each in addresses if nested or is_page_address(each)]
    links = [FoundLink(each) for each in addresses if not nested and not is_page_address(each)]
    return Document("list", links=links, pages=pages)


def _joined(url: str, line: str) -> str | None:
    try:
        return urljoin(url, line)
    except ValueError:
        return None


def _tag(element: "Element") -> str:
    return str(element.tag).rpartition("}")[2]


def _children(root: "Element", name: str) -> Iterator["Element"]:
    return (each for each in root if _tag(each) == name)


def _text(root: "Element", name: str) -> str:
    return next((each.text or "" for each in _children(root, name)), "")


def _size(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 16 else None
