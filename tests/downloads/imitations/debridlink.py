from typing import Any

from aiohttp import web

from quartet.downloads.hosters.sdk import Account
from tests.downloads.imitations.site import DATA, Bearer
from tests.downloads.plugins import Handler


class DebridLinkSite(Bearer):
    plugin = "debridlink"
    file_link = "https://four-host.invalid/file/77"
    account = Account(1, "", "DL-KEY")
    # The error returned for links.
    refusal = ""
    password = ""
    premium_left = 1000

    def routes(self) -> dict[str, Handler]:
        return {
            "GET /account/infos": self.infos,
            "GET /downloader/hostnames": self.hostnames,
            "POST /downloader/add": self.add,
            "GET /dl/film": self.file,
        }

    async def infos(self, request: web.Request) -> web.Response:
        return self.answer(request, {"username": "ada", "premiumLeft": self.premium_left})

    async def hostnames(self, request: web.Request) -> web.Response:
        return self.answer(request, ["four-host.invalid"])

    async def add(self, request: web.Request) -> web.Response:
        form = await request.post()
        if self.refusal:
            return failure(self.refusal)
        if form.get("password", "") != self.password:
            return failure("badFilePassword")
        found = {
            "downloadUrl": f"{self.base}/dl/film",
            "name": "film.bin",
            "size": len(DATA),
            "resume": True,
            "chunk": 0,
        }
        return self.answer(request, found)

    def answer(self, request: web.Request, value: Any) -> web.Response:
        if self.refused(request):
            return failure("badToken", 401)
        return web.json_response({"success": True, "value": value})


def failure(code: str, status: int = 400) -> web.Response:
    return web.json_response({"success": False, "error": code}, status=status)
