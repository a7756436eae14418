from typing import Any

from aiohttp import web

from quartet.downloads.hosters.sdk import Account
from tests.downloads.imitations.site import DATA, Site
from tests.downloads.plugins import Handler


class PremiumizeSite(Site):
    plugin = "premiumize"
    file_link = "https://two-host.invalid/file/77"
    account = Account(1, "", "PM-KEY")
    # The error message returned for links.
    refusal = ""
    premium_until: float | bool = 1_893_456_000

    def routes(self) -> dict[str, Handler]:
        return {
            "GET /account/info": self.info,
            "GET /services/list": self.services,
            "POST /transfer/directdl": self.direct,
            "GET /item/details": self.item,
            "GET /dl/film": self.file,
        }

    async def info(self, request: web.Request) -> web.Response:
        payload = {"customer_id": "1", "premium_until": self.premium_until, "limit_used": 0.42}
        return self.answer(request, payload)

    async def services(self, request: web.Request) -> web.Response:
        aliases = {"two-host.invalid": ["2h.invalid"], "other.invalid": ["o.invalid"]}
        return self.answer(request, {"directdl": ["two-host.invalid"], "aliases": aliases})

    async def direct(self, request: web.Request) -> web.Response:
        assert (await request.post())["src"] == self.file_link
        if self.refusal:
            return web.json_response({"status": "error", "message": self.refusal})
        content = [
            {"path": "film/readme.txt", "size": 3, "link": f"{self.base}/dl/readme"},
            {"path": "film/film.bin", "size": len(DATA), "link": f"{self.base}/dl/film"},
        ]
        return self.answer(request, {"content": content})

    async def item(self, request: web.Request) -> web.Response:
        assert request.query["id"] == "abc-1"
        found = {
            "id": "abc-1",
            "name": "own.bin",
            "size": len(DATA),
            "link": f"{self.base}/dl/film",
        }
        return self.answer(request, found)

    def answer(self, request: web.Request, payload: dict[str, Any]) -> web.Response:
        if request.query.get("apikey") != self.account.secret:
            refused = {"status": "error", "message": "Not logged in."}
            return web.json_response(refused)
        return web.json_response({"status": "success", **payload})
