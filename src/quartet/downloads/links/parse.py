"""Finds links in pasted text."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from quartet.downloads.bittorrent.magnets import magnet_of
from quartet.downloads.links.types import ParsedLink
from quartet.downloads.unmarked_names import unquoted
from quartet.kernel.files import safe_name

LONGEST_LINK = 8000

# "hxxp" and the like are spellings of pages that do not want to link directly.
_SCHEME = r"(?:h(?:tt|xx|\*\*)ps?|f(?:t|x)p|sftp)://"
_START = rf"(?:{_SCHEME}|(?<![@/])www\.(?=[a-z0-9-]+\.))"
_LINK = re.compile(rf"""(?<![a-z0-9+.-])({_START}[^\s"<>\x00-\x1f\x7f]+)""", re.IGNORECASE)
# The text is that of strangers: without the first condition, and without a limit below, searching a
# long row of such characters would take time that grows with the square of its length.
_JOINED = re.compile(rf"(?<![,;|])[,;|]+(?={_SCHEME})", re.IGNORECASE)
_SCHEMES = {"hxxp": "http", "hxxps": "https", "h**p": "http", "h**ps": "https", "fxp": "ftp"}
_MAGNET = re.compile(r"""magnet:\?[^\s"'<>]+""", re.IGNORECASE)
# The addresses in these identify a format; nothing can be downloaded from them.
_FORMATS = re.compile(r"""<!DOCTYPE\b[^>]{0,500}>|\sxmlns(?::[\w.-]+)?\s*=\s*(?:"[^"]*"|'[^']*')""")
_NZB = re.compile(r"<nzb[\s>]", re.IGNORECASE)
_PUNCTUATION = ",;.'`…"
_CLOSING = {")": "(", "]": "[", "}": "{"}


def links_in(text: str) -> list[ParsedLink]:
    """Return the links in order of appearance, without duplicates."""
    return list({link.url: link for link in (*_found(text), *_magnets(text))}.values())


def is_nzb(text: str) -> bool:
    """Return whether the text is an NZB file, which names articles of Usenet instead of links."""
    return bool(_NZB.search(text))


def _magnets(text: str) -> Iterator[ParsedLink]:
    for match in _MAGNET.finditer(text):
        magnet = magnet_of(_trimmed(match[0].replace("&amp;", "&"))[:LONGEST_LINK])
        if magnet:
            yield ParsedLink(magnet.url, magnet.host, magnet.name)


def _found(text: str) -> Iterator[ParsedLink]:
    # A magnet link may contain addresses of trackers and web seeds.
    text = _FORMATS.sub("", _MAGNET.sub("", text))
    for match in _LINK.finditer(text):
        whole = match.group(1)
        # An apostrophe may be part of a link, unless the link is enclosed in apostrophes.
        if text[match.start(1) - 1 : match.start(1)] == "'":
            whole = whole.partition("'")[0]
        for url in _JOINED.split(whole):
            link = _link(_repaired(_trimmed(url.replace("&amp;", "&"))))
            if link:
                yield link


def _trimmed(url: str) -> str:
    """Cut off punctuation, and brackets that were opened before the link."""
    opened = {closing: url.find(opening) for closing, opening in _CLOSING.items()}
    end = len(url)
    while end and (url[end - 1] in _PUNCTUATION or not 0 <= opened.get(url[end - 1], 0) < end):
        end -= 1
    return url[:end]


def _repaired(url: str) -> str:
    """Return the link with the scheme that its spelling stands for."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        return f"https://{url}"
    return f"{_SCHEMES.get(scheme.lower(), scheme)}://{rest}"


def _link(url: str) -> ParsedLink | None:
    if len(url) > LONGEST_LINK:
        return None
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError:
        return None
    if not host:
        return None
    return ParsedLink(url, host, name_in(url) or safe_name(host))


def name_in(url: str) -> str | None:
    """Return the probable file name, which is shown until the server sends one."""
    last = unquoted(urlsplit(url).path.rstrip("/").rpartition("/")[2])
    return safe_name(last) if last.strip() else None
