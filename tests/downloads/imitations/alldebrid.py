from typing import Any

from aiohttp import web

from quartet.downloads.hosters.sdk import Account
from tests.downloads.imitations.site import DATA, Bearer
from tests.downloads.plugins import Handler


class AllDebridSite(Bearer):
    plugin = "alldebrid"
    file_link = "https://one-host.invalid/file/77"
    account = Account(1, "", "AD-KEY")
    # The error code returned for links.
    refusal = ""
    password = ""
    streams = False
    # How many requests a delayed link is not ready for.
    delays: int | None = None
    asked: list[dict[str, Any]]

    def __init__(self) -> None:
        self.asked = []

    def routes(self) -> dict[str, Handler]:
        return {
            "GET /user": self.user,
            "GET /hosts": self.hosts,
            "POST /link/unlock": self.unlock,
            "POST /link/streaming": self.streaming,
            "POST /link/delayed": self.delayed,
            "GET /dl/film": self.file,
        }

    async def user(self, request: web.Request) -> web.Response:
        user = {"username": "ada", "isPremium": True, "premiumUntil": 1_893_456_000}
        return self.answer(request, {"user": user})

    async def hosts(self, request: web.Request) -> web.Response:
        one = {"name": "one", "type": "premium", "domains": ["one-host.invalid"], "status": True}
        down = {"name": "down", "domains": ["down.invalid"], "status": False}
        stream = {"name": "video", "domains": ["video.invalid"]}
        return self.answer(
            request, {"hosts": {"one": one, "down": down}, "streams": {"video": stream}}
        )

    async def unlock(self, request: web.Request) -> web.Response:
        form = dict(await request.post())
        self.asked.append(form)
        if self.refusal:
            return failure(self.refusal)
        if form.get("password", "") != self.password:
            return failure("LINK_PASS_PROTECTED")
        if self.streams:
            streams = [
                {"id": "low", "quality": 480, "ext": "mp4", "filesize": 10},
                {"id": "high", "quality": 1080, "ext": "mp4", "filesize": len(DATA)},
                {"id": "sound", "quality": "audio", "ext": "mp3", "filesize": 5},
            ]
            found = {"id": "id1", "filename": "film.mp4", "link": "", "streams": streams}
            return self.answer(request, found)
        return self.answer(request, self.link_or_ticket())

    async def streaming(self, request: web.Request) -> web.Response:
        self.asked.append(dict(await request.post()))
        return self.answer(request, self.link_or_ticket())

    async def delayed(self, request: web.Request) -> web.Response:
        assert (await request.post())["id"] == "4711"
        if self.delays:
            self.delays -= 1
            return self.answer(request, {"status": 1, "time_left": 5})
        return self.answer(request, {"status": 2, "time_left": 0, "link": f"{self.base}/dl/film"})

    def link_or_ticket(self) -> dict[str, Any]:
        found = {"filename": "film.bin", "filesize": len(DATA), "id": "id1", "max_chunks": 4}
        if self.delays is not None:
            return {**found, "delayed": 4711}
        return {**found, "link": f"{self.base}/dl/film"}

    def answer(self, request: web.Request, data: dict[str, Any]) -> web.Response:
        if self.refused(request):
            return failure("AUTH_BAD_APIKEY")
        return web.json_response({"status": "success", "data": data})


def failure(code: str) -> web.Response:
    return web.json_response({"status": "error", "error": {"code": code, "message": "No."}})
