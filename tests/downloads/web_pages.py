"""Web pages to crawl, and what is found on them."""

from typing import Any

from aiohttp import web

from quartet.downloads.request_headers import RequestHeaders
from quartet.downloads.transfer.redirects import RedirectPolicy
from quartet.downloads.webpages.crawl import PageCrawl
from quartet.downloads.webpages.ftp_folder import FtpFolders
from quartet.downloads.webpages.types import CrawlLimits, PageLinks
from quartet.kernel.outbound import OutboundClient

NO_HEADERS = RequestHeaders()
ALLOWED = FtpFolders(RedirectPolicy(True))


class Pages:
    """A web server with a text for each address."""

    def __init__(self) -> None:
        self.texts: dict[str, tuple[str, bytes]] = {}
        self.asked: list[str] = []
        self.headers: list[str] = []
        self.base = ""

    def put(self, address: str, text: str | bytes, kind: str = "text/html") -> str:
        body = text if isinstance(text, bytes) else text.encode()
        self.texts[address] = kind, body
        return self.base + address

    async def answer(self, request: web.Request) -> web.Response:
        query = "&".join(f"{name}={value}" for name, value in request.query.items())
        address = f"{request.path}?{query}" if query else request.path
        self.asked.append(address)
        self.headers.append(request.headers.get("Cookie", ""))
        kind, body = self.texts.get(address, ("", b""))
        if not kind:
            return web.Response(status=404)
        return web.Response(body=body, headers={"Content-Type": kind})


async def crawled(
    url: str,
    depth: int = 0,
    *,
    own: RequestHeaders = NO_HEADERS,
    ftp: FtpFolders = ALLOWED,
    **limits: Any,
) -> PageLinks:
    async with OutboundClient(allow_private=True, retries=0) as outbound:
        return await PageCrawl(outbound, url, depth, own, CrawlLimits(**limits), ftp).run()


async def paths(url: str, depth: int = 0, **options: Any) -> list[str]:
    found = await crawled(url, depth, **options)
    return [each.url.removeprefix(url.rpartition("/")[0]) for each in found.links]
