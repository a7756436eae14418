"""Follows pages and lists to their files, within limits for pages, links, bytes and time."""

import asyncio
import logging
from collections import deque
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urldefrag, urlsplit

from quartet.downloads.request_headers import RequestHeaders
from quartet.downloads.transfer.redirects import is_ftp_folder, may_have_secrets
from quartet.downloads.webpages.addresses import is_list_address, is_playlist_address
from quartet.downloads.webpages.documents import Fetched, fetch
from quartet.downloads.webpages.ftp_folder import FtpFolders
from quartet.downloads.webpages.types import (
    AUTOMATIC,
    BadStatus,
    CrawlLimits,
    FoundLink,
    NotAPage,
    PageLinks,
)
from quartet.kernel.errors import AppError

if TYPE_CHECKING:
    # Imported late, because it is not needed at startup.
    from quartet.kernel.outbound import OutboundClient

log = logging.getLogger("quartet.downloads.webpages")


class _Waiting(NamedTuple):
    url: str
    depth: int
    folder: str = ""


class PageCrawl:
    """One run, from one page or list to its links."""

    def __init__(
        self,
        outbound: "OutboundClient",
        url: str,
        depth: int,
        own: RequestHeaders,
        limits: CrawlLimits,
        ftp: FtpFolders,
    ) -> None:
        self._outbound = outbound
        self._ftp = ftp
        self._own = own
        self._limits = limits
        self._automatic = depth == AUTOMATIC
        self._host = urlsplit(url).netloc
        self._first = _Waiting(url, limits.folders if self._automatic else depth)
        self._waiting: deque[_Waiting] = deque()
        self._seen = {urldefrag(url)[0]}
        self._found: dict[str, FoundLink] = {}
        self._others: dict[str, None] = {}
        self._pages = self._bytes = 0

    async def run(self) -> PageLinks:
        """Return the links; raises `BadStatus`, `AppError` or `NotAPage` for the first document."""
        first = await self._fetch(self._first)
        kind = first.document.kind
        if kind == "file":
            raise NotAPage
        if kind == "page" and self._automatic:
            raise AppError(400, "web_page", text=first.document.title)
        self._take(self._first, first)
        try:
            async with asyncio.timeout(self._limits.seconds):
                await self._follow()
        except TimeoutError:
            log.info("stopped reading %s: it takes too long", self._host)
        most = self._limits.links
        links, others = list(self._found.values())[:most], list(self._others)[:most]
        return PageLinks(links, others, first.document.title)

    async def _follow(self) -> None:
        while self._waiting and not self._reached_limit():
            each = self._waiting.popleft()
            try:
                self._take(each, await self._fetch(each))
            except (AppError, BadStatus) as error:
                log.debug("a page on %s was left out: %s", self._host, type(error).__name__)
                if is_playlist_address(each.url):
                    self._add(FoundLink(each.url, folder=each.folder))

    def _reached_limit(self) -> bool:
        limits = self._limits
        reached = (
            self._pages >= limits.pages
            or len(self._found) >= limits.links
            or self._bytes >= limits.bytes
        )
        if reached:
            log.info("stopped reading %s after %d pages", self._host, self._pages)
        return reached

    async def _fetch(self, wanted: _Waiting) -> Fetched:
        self._pages += 1
        if is_ftp_folder(wanted.url):
            document, size = await self._ftp.read(wanted.url)
            self._bytes += size
            return Fetched(document, wanted.url, size)
        own = self._own if may_have_secrets(self._first.url, wanted.url) else RequestHeaders()
        fetched = await fetch(self._outbound, wanted.url, own)
        self._bytes += fetched.size
        return fetched

    def _take(self, place: _Waiting, fetched: Fetched) -> None:
        document = fetched.document
        if document.kind == "file":
            self._add(FoundLink(place.url, folder=place.folder))
            return
        for link in document.links:
            found = link._replace(folder=_joined(place.folder, link.folder))
            nested = is_playlist_address(link.url) and document.kind != "media"
            if not nested or not self._enqueue(_Waiting(link.url, place.depth, found.folder)):
                self._add(found)
        for page in document.pages:
            if document.kind == "page":
                self._others[page.url] = None
            self._enqueue_page(place, page, document.kind == "list")
        if document.rest:
            self._enqueue(place._replace(url=document.rest))

    def _enqueue_page(self, place: _Waiting, page: FoundLink, is_list: bool) -> None:
        """Follow a page of the same host one level deeper; a list of lists is one level."""
        if urlsplit(page.url).netloc != self._host:
            return
        if is_list and is_list_address(page.url):
            self._enqueue(place._replace(url=page.url))
        elif place.depth > 1:
            self._enqueue(_Waiting(page.url, place.depth - 1, _joined(place.folder, page.folder)))

    def _enqueue(self, wanted: _Waiting) -> bool:
        """Return whether the document is read; False if it was before."""
        if wanted.url in self._seen or len(self._seen) > self._limits.links:
            return False
        self._seen.add(wanted.url)
        self._waiting.append(wanted)
        return True

    def _add(self, link: FoundLink) -> None:
        self._found.setdefault(link.url, link)


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}".strip("/")
