"""Links out of whatever text people paste."""

import re
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from quartet.downloads.links.types import Link
from quartet.kernel.files import safe_name

LONGEST_LINK = 8000

_SCHEME = r"(?:https?|ftp)://"
_LINK = re.compile(rf"""(?<![a-z0-9+.-])({_SCHEME}[^\s"<>\x00-\x1f\x7f]+)""", re.IGNORECASE)
_JOINED = re.compile(rf"[,;|]+(?={_SCHEME})", re.IGNORECASE)
_CLOSING = {")": "(", "]": "[", "}": "{"}


def links_in(text: str) -> list[Link]:
    """In the order of the text, each once."""
    return list({link.url: link for link in _found(text)}.values())


def _found(text: str) -> Iterator[Link]:
    for match in _LINK.finditer(text):
        whole = match.group(1)
        # An apostrophe may be part of a link, unless the link stands between two of them.
        if text[match.start(1) - 1 : match.start(1)] == "'":
            whole = whole.partition("'")[0]
        for url in _JOINED.split(whole):
            link = _link(_trimmed(url))
            if link:
                yield link


def _trimmed(url: str) -> str:
    while url and (url[-1] in ",;'`" or _is_stray(url)):
        url = url[:-1]
    return url


def _is_stray(url: str) -> bool:
    """A bracket that was opened before the link began."""
    opening = _CLOSING.get(url[-1])
    return opening is not None and opening not in url


def _link(url: str) -> Link | None:
    if len(url) > LONGEST_LINK:
        return None
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError:
        return None
    if not host:
        return None
    return Link(url, host, name_in(url) or safe_name(host))


def name_in(url: str) -> str | None:
    """What the file is probably called, until its server says so."""
    last = unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2])
    return safe_name(last) if last.strip() else None
