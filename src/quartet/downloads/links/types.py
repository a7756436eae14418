from typing import NamedTuple

import msgspec

from quartet.downloads.packages.types import Online
from quartet.downloads.request_headers import RequestHeaders
from quartet.kernel.errors import Problem


class NewLinks(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """New links; `links` is text with one link per line."""

    links: str
    package_name: str | None = None
    target_dir: str | None = None
    # Used as download password and first archive password where those are not given.
    password: str | None = None
    download_password: str | None = None
    # A list, or text with one password per line.
    passwords: list[str] | str | None = None
    start: bool = False
    source: str | None = None
    # Sent as Referer if no other is given.
    source_page: str | None = None
    # Sent to the host of the links only; stored encrypted and never returned.
    headers: dict[str, str] | None = None
    # By name, or text as in a Cookie header.
    cookies: dict[str, str] | str | None = None
    referer: str | None = None
    user_agent: str | None = None


class Added(msgspec.Struct, frozen=True, rename="camel"):
    package_id: int
    # How many links already existed; they are added anyway.
    duplicates: int


class AddedTorrent(NamedTuple):
    """A .torrent file to add; without `selected`, all of its files are wanted."""

    content: bytes
    # The indexes of the selected files of a torrent.
    selected: frozenset[int] | None = None


class ParsedLink(NamedTuple):
    url: str
    host: str
    name: str
    # The plugin of the hoster, if any, and whether it is a folder link.
    plugin_id: str | None = None
    folder: bool = False
    # How deep a web page is searched for links.
    crawl_depth: int | None = None


class UncheckedLink(NamedTuple):
    id: int
    url: str
    plugin_id: str | None
    name: str
    crawl_depth: int | None
    mirrors: list[str] | None
    request_headers: RequestHeaders = RequestHeaders()


class LinkInfo(NamedTuple):
    """The result of checking a link; unknown values are None."""

    online: Online
    name: str | None = None
    size: int | None = None
    hash_type: str | None = None
    hash_value: str | None = None
    # A folder link that must be crawled, or a link to a .torrent or Metalink file.
    folder: bool = False
    container: bool = False
    # Why the link cannot be downloaded, if that is known.
    error: Problem | None = None
