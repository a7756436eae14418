"""Pages with videos, which the real yt-dlp reads."""

import asyncio

from aiohttp import web

from tests.downloads.imitations.site import DATA, Site
from tests.downloads.plugins import Handler

PIECES = [bytes([number]) * 50_000 for number in range(1, 6)]


class MediaSite(Site):
    """A page with two videos, one with a segmented video, and an empty one."""

    plugin = "yt-dlp"

    def __init__(self) -> None:
        self.quality = "best"
        self.asked: list[str] = []
        # Segments after the first are sent once this is set.
        self.open = asyncio.Event()
        self.open.set()
        self.begun = asyncio.Event()

    def settings(self) -> dict[str, str]:
        return {"hosts": "127.0.0.1", "quality": self.quality}

    def routes(self) -> dict[str, Handler]:
        return {
            "GET /films": self.films,
            "GET /pieces": self.pieces,
            "GET /empty": self.empty,
            "GET /one.mp4": self.film,
            "GET /two.mp4": self.film,
            "GET /list.m3u8": self.listed,
            "GET /{number}.ts": self.piece,
        }

    async def films(self, request: web.Request) -> web.Response:
        return page(
            '<video title="One"><source src="/one.mp4" type="video/mp4"></video>'
            '<video title="Two"><source src="/two.mp4" type="video/mp4"></video>'
        )

    async def pieces(self, request: web.Request) -> web.Response:
        return page('<video><source src="/list.m3u8" type="application/x-mpegURL"></video>')

    async def empty(self, request: web.Request) -> web.Response:
        return page("<p>nothing</p>")

    async def film(self, request: web.Request) -> web.Response:
        self.asked.append(request.headers.get("Range", ""))
        return web.Response(body=DATA, content_type="video/mp4")

    async def listed(self, request: web.Request) -> web.Response:
        lines = [f"#EXTINF:4,\n{number}.ts" for number in range(len(PIECES))]
        head = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:4\n"
        text = head + "\n".join(lines) + "\n#EXT-X-ENDLIST\n"
        return web.Response(text=text, content_type="application/vnd.apple.mpegurl")

    async def piece(self, request: web.Request) -> web.Response:
        number = int(request.match_info["number"])
        self.asked.append(str(number))
        if number:
            self.begun.set()
            await self.open.wait()
        return web.Response(body=PIECES[number], content_type="video/mp2t")


def page(body: str) -> web.Response:
    text = f"<html><head><title>Holiday films</title></head><body>{body}</body></html>"
    return web.Response(text=text, content_type="text/html")
