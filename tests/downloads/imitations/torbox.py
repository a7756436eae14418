from typing import Any

from aiohttp import web

from quartet.downloads.hosters.sdk import Account
from tests.downloads.imitations.site import DATA, Bearer
from tests.downloads.plugins import Handler


class TorBoxSite(Bearer):
    plugin = "torbox"
    file_link = "https://three-host.invalid/file/77"
    account = Account(1, "", "TB-KEY")
    # The error code returned for new links.
    refusal = ""
    # The states of the download, returned in order; the last one is repeated.
    states: list[str]
    created: list[dict[str, Any]]

    def __init__(self) -> None:
        self.states = ["completed"]
        self.created = []

    def routes(self) -> dict[str, Handler]:
        return {
            "GET /user/me": self.me,
            "GET /webdl/hosters": self.hosters,
            "POST /webdl/createwebdownload": self.create,
            "GET /webdl/mylist": self.mine,
            "GET /webdl/requestdl": self.ready,
            "GET /dl/film": self.file,
        }

    async def me(self, request: web.Request) -> web.Response:
        me = {"email": "ada@host.invalid", "plan": 2, "premium_expires_at": "2030-01-01T00:00:00Z"}
        return self.answer(request, me)

    async def hosters(self, request: web.Request) -> web.Response:
        known = [
            {"name": "three", "domains": ["three-host.invalid"], "status": True},
            {"name": "down", "domains": ["down.invalid"], "status": False},
        ]
        return self.answer(request, known)

    async def create(self, request: web.Request) -> web.Response:
        if self.refusal:
            return failure(self.refusal, 400)
        self.created.append(dict(await request.post()))
        return self.answer(request, {"webdownload_id": 7, "hash": "abc"})

    async def mine(self, request: web.Request) -> web.Response:
        if "id" not in request.query:
            return self.answer(request, [self.shown("downloading")] if self.created else [])
        state = self.states[0]
        self.states = self.states[1:] or self.states
        return self.answer(request, self.shown(state))

    async def ready(self, request: web.Request) -> web.Response:
        asked = (request.query["token"], request.query["web_id"], request.query["file_id"])
        assert asked == (self.account.secret, "7", "2")
        return self.answer(request, f"{self.base}/dl/film")

    def shown(self, state: str) -> dict[str, Any]:
        files = [
            {"id": 1, "short_name": "readme.txt", "size": 3},
            {"id": 2, "short_name": "film.bin", "size": len(DATA)},
        ]
        return {
            "id": 7,
            "name": "film.bin",
            "original_url": self.file_link,
            "progress": 0.5,
            "download_state": state,
            "files": files if state in ("completed", "cached") else [],
        }

    def answer(self, request: web.Request, data: Any) -> web.Response:
        if self.refused(request):
            return failure("BAD_TOKEN", 403)
        payload = {"success": True, "error": None, "detail": "Found.", "data": data}
        return web.json_response(payload)


def failure(code: str, status: int) -> web.Response:
    payload = {"success": False, "error": code, "detail": "It did not work.", "data": None}
    return web.json_response(payload, status=status)
