import hashlib
import time
from typing import Any

from aiohttp import web

from quartet.downloads.hosters.sdk import Account
from tests.downloads.imitations.site import DATA, Site
from tests.downloads.plugins import Handler


class GofileSite(Site):
    plugin = "gofile"
    file_link = "https://gofile.io/d/AbCdEf#file=file-1"
    folder_link = "https://gofile.io/d/AbCdEf"
    account = Account(1, "", "GF-TOKEN")
    password = ""
    refusal = ""
    salt = "old-salt"
    # How many guest tokens were created.
    guests = 0
    expired = 0
    endless = False

    def settings(self) -> dict[str, str]:
        return {"base": self.base, "salt": "old-salt"}

    def routes(self) -> dict[str, Handler]:
        return {
            "POST /accounts": self.new_guest,
            "GET /accounts/getid": self.account_id,
            "GET /accounts/{id}": self.account_info,
            "GET /contents/{id}": self.contents,
            "GET /download/{id}": self.download,
        }

    async def new_guest(self, request: web.Request) -> web.Response:
        self.guests += 1
        return self.answer({"id": "g", "token": f"guest{self.guests}"})

    async def account_id(self, request: web.Request) -> web.Response:
        return self.answer({"id": "acc-1"}) if self.known(request) else self.failure("error-token")

    async def account_info(self, request: web.Request) -> web.Response:
        assert request.match_info["id"] == "acc-1"
        return self.answer({"id": "acc-1", "email": "a@b.invalid", "tier": "premium"})

    async def contents(self, request: web.Request) -> web.Response:
        if self.refusal:
            return self.failure(self.refusal)
        if not self.known(request):
            return self.failure("error-token")
        if request.headers.get("X-Website-Token") != self.proof(request):
            return self.failure("error-notPremium")
        digest = hashlib.sha256(self.password.encode()).hexdigest() if self.password else None
        given = request.query.get("password")
        if given != digest:
            status = "passwordWrong" if given else "passwordRequired"
            locked = {"id": "f", "type": "folder", "canAccess": False, "passwordStatus": status}
            return self.answer(locked)
        return self.page_of(request.match_info["id"], int(request.query["page"]))

    def page_of(self, code: str, page: int) -> web.Response:
        """Return two pages; the second has a folder that contains a file and itself."""
        match code, page:
            case "AbCdEf", 1:
                children = [file("file-1", self.base)]
            case "AbCdEf", _:
                children = [{"id": "inner", "type": "folder", "name": "Inner", "code": "In"}]
            case "inner", _:
                again = {"id": "inner", "type": "folder", "name": "Inner"}
                children = [file(f"file-{page + 1}", self.base), again]
            case _:
                return self.failure("error-notFound")
        data = {"id": code, "type": "folder", "name": "Holiday", "canAccess": True}
        more = self.endless or (code, page) == ("AbCdEf", 1)
        shown = {**data, "children": {each["id"]: each for each in children}}
        return web.json_response({"status": "ok", "data": shown, "metadata": {"hasNextPage": more}})

    async def download(self, request: web.Request) -> web.Response:
        if request.cookies.get("accountToken") not in self.tokens():
            return web.Response(status=403)
        return await self.file(request)

    def tokens(self) -> set[str]:
        valid = {f"guest{number}" for number in range(self.expired + 1, self.guests + 1)}
        return {self.account.secret, *valid}

    def known(self, request: web.Request) -> bool:
        return request.headers.get("Authorization", "").removeprefix("Bearer ") in self.tokens()

    def proof(self, request: web.Request) -> str:
        token = request.headers["Authorization"].removeprefix("Bearer ")
        agent, language = request.headers["User-Agent"], request.headers["X-BL"]
        whole = f"{agent}::{language}::{token}::{int(time.time()) // 14400}::{self.salt}"
        return hashlib.sha256(whole.encode()).hexdigest()

    def answer(self, data: dict[str, Any]) -> web.Response:
        return web.json_response({"status": "ok", "data": data})

    def failure(self, status: str) -> web.Response:
        return web.json_response({"status": status, "data": {}})


def file(id: str, base: str) -> dict[str, Any]:
    return {
        "id": id,
        "type": "file",
        "name": f"{id}.bin",
        "size": len(DATA),
        "md5": hashlib.md5(DATA).hexdigest(),
        "link": f"{base}/download/{id}",
    }
