"""Reads links, media and the title of a web page, and recognises directory indexes."""

import re
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from quartet.downloads.links.parse import links_in
from quartet.downloads.unmarked_names import unquoted
from quartet.downloads.webpages.addresses import folder_name, is_page_address
from quartet.downloads.webpages.types import Document, FoundLink

_LINKS = {"a": "href", "area": "href"}
_MEDIA = {"video": "src", "audio": "src", "source": "src", "embed": "src", "object": "data"}
_PLAYERS = ("og:video", "og:video:url", "og:audio", "twitter:player:stream")
# The headings of nginx, Apache and lighttpd, of Python's server and of Jetty.
_INDEX = re.compile(r"\s*(index of|directory listing (for|of)|directory:)\s+\S", re.IGNORECASE)
# The link with which Caddy sorts its list, and the heading of IIS: host and folder.
_SORTED_BY_CADDY = "?sort=namedirfirst&order="
_HEADING_OF_IIS = re.compile(r"\S+ - (/.*)")
MOST_LINKS = 20_000
# How much of the visible text is searched for links.
LONGEST_TEXT = 2_000_000
_LONGEST_TITLE = 500


class _Parser(HTMLParser):
    def __init__(self, url: str) -> None:
        super().__init__()
        self.base = url
        self._has_base = False
        self.title = ""
        self.heading = ""
        # Addresses, with whether each is certainly a file.
        self.links: list[tuple[str, bool]] = []
        self.text: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "base":
            self._set_base(given.get("href", ""))
        elif tag in _LINKS:
            self._add(given.get("href", ""), "download" in given)
        elif tag in _MEDIA:
            self._add(given.get(_MEDIA[tag], ""), True)
        elif tag == "meta" and given.get("property", given.get("name", "")) in _PLAYERS:
            self._add(given.get("content", ""), False)
        elif tag in ("title", "h1"):
            self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = ""

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        if self._inside == "title" and len(self.title) < _LONGEST_TITLE:
            self.title += data[:_LONGEST_TITLE]
        elif self._inside == "h1" and len(self.heading) < _LONGEST_TITLE:
            self.heading += data[:_LONGEST_TITLE]

    def parse_marked_section(self, i: int, report: bool | int = 1) -> int:
        """Skip a section such as `<![if`, as browsers do; the library stops at unknown ones."""
        return self.parse_bogus_comment(i)

    def _set_base(self, address: str) -> None:
        """Take the first base of the page, as browsers do; joining thousands would take hours."""
        if address and not self._has_base:
            self._has_base = True
            self.base = _absolute(self.base, address) or self.base

    def _add(self, address: str, is_file: bool) -> None:
        if address.strip() and len(self.links) < MOST_LINKS:
            self.links.append((address.strip(), is_file))


def read_html(url: str, text: str) -> Document:
    parser = _Parser(url)
    parser.feed(text)
    title = " ".join(parser.title.split())[:200]
    found = [(_absolute(parser.base, address), is_file) for address, is_file in parser.links]
    found += [(link.url, False) for link in links_in("".join(parser.text)[:LONGEST_TEXT])]
    if _is_index(url, parser):
        entries = [entry for address, _ in found if (entry := _entry(url, address))]
        return Document("index", folder_name(url), *_parted(entries))
    links = [FoundLink(address) for address, is_file in found if is_file or _leads_to_file(address)]
    pages = [FoundLink(urldefrag(address)[0]) for address, _ in found if is_page_address(address)]
    return Document("page", title, links, pages)


def _is_index(url: str, parser: _Parser) -> bool:
    if any(_INDEX.match(text) for text in (parser.title, parser.heading)):
        return True
    if any(address.startswith(_SORTED_BY_CADDY) for address, _ in parser.links):
        return True
    found = _HEADING_OF_IIS.fullmatch(parser.title.strip())
    same = parser.heading.strip() == parser.title.strip()
    return bool(found and same and found[1] == unquote(urlsplit(url).path))


def _absolute(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:
        return ""


def _leads_to_file(address: str) -> bool:
    return bool(address) and not is_page_address(address)


def _entry(folder: str, address: str) -> FoundLink | None:
    """Return an entry of the folder itself: neither its parent nor a link that sorts the list."""
    own, other = urlsplit(folder), urlsplit(address)
    start = own.path.rpartition("/")[0] + "/"
    if (own.scheme, own.netloc) != (other.scheme, other.netloc) or other.query:
        return None
    rest = other.path.removeprefix(start)
    if not other.path.startswith(start) or not rest.strip("/") or "/" in rest.rstrip("/"):
        return None
    return FoundLink(urldefrag(address)[0], unquoted(rest))


def _parted(entries: list[FoundLink]) -> tuple[list[FoundLink], list[FoundLink]]:
    """Return the files and the folders."""
    files = [each for each in entries if not each.url.endswith("/")]
    folders = [
        each._replace(folder=(each.name or "").rstrip("/"))
        for each in entries
        if each.url.endswith("/")
    ]
    return files, folders
