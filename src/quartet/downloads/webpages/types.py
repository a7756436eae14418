from typing import Annotated, Literal, NamedTuple

import msgspec

from quartet.downloads.packages.types import Id

# The depth of a link that is read only if it is a directory index, a bucket or a playlist.
AUTOMATIC = 0

Kind = Literal["index", "list", "media", "page", "file"]


class CrawlPages(msgspec.Struct, frozen=True, rename="camel"):
    """Web pages in the link grabber whose links are wanted instead of them."""

    download_ids: Annotated[list[Id], msgspec.Meta(min_length=1, max_length=1000)]
    # 1 means the links on the page itself, 2 also those on the pages it links to, and so on.
    depth: Annotated[int, msgspec.Meta(ge=1, le=5)] = 1


class FoundLink(NamedTuple):
    url: str
    # Given by the list, if it contains them.
    name: str | None = None
    size: int | None = None
    # The folder of the file, relative to the one where crawling started.
    folder: str = ""


class Document(NamedTuple):
    """What a fetched document contains.

    `index` is a list of files and folders, `list` a sitemap or a playlist, `media` a stream that
    yt-dlp fetches, `page` any other web page, and `file` anything else.
    """

    kind: Kind
    title: str = ""
    links: list[FoundLink] = []
    # Documents to read next: subfolders, linked pages or nested lists.
    pages: list[FoundLink] = []
    # The address at which the same list continues.
    rest: str | None = None


class PageLinks(NamedTuple):
    """The links that were found, and the name of the page."""

    links: list[FoundLink]
    # Addresses of pages, which may be links of hosters.
    others: list[str] = []
    name: str = ""


class NotAPage(Exception):
    """The link leads to a file."""


class BadStatus(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class CrawlLimits(NamedTuple):
    pages: int = 300
    links: int = 20_000
    bytes: int = 128 * 1024 * 1024
    seconds: float = 600.0
    # Of folders below the first one.
    folders: int = 8
