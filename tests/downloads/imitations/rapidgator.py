import hashlib
from typing import Any

from aiohttp import web

from quartet.downloads.hosters.sdk import Account
from tests.downloads.imitations.site import DATA, Site
from tests.downloads.plugins import Handler

ID = "0123456789abcdef0123456789abcdef"


class RapidgatorSite(Site):
    plugin = "rapidgator"
    file_link = f"https://rapidgator.net/file/{ID}/film.bin.html"
    folder_link = "https://rapidgator.net/folder/4711/Holiday.html"
    account = Account(1, "ada@host.invalid", "secret")
    # Use the field names of API version 1.
    old_names = False
    refusal = 200
    logins = 0
    # How many sessions have expired.
    ended = 0
    # Each page of a folder claims that more follow.
    endless = False
    own_folders = False

    def routes(self) -> dict[str, Handler]:
        return {
            "GET /file/{id}": self.page,
            "GET /folder/{id}": self.folder_page,
            "POST /api/v2/user/login": self.login,
            "POST /api/v2/user/info": self.user,
            "POST /api/v2/file/info": self.info,
            "POST /api/v2/file/download": self.download,
            "POST /api/v2/folder/content": self.content,
            "GET /dl/film": self.file,
        }

    async def page(self, request: web.Request) -> web.Response:
        if request.match_info["id"] != ID:
            return web.Response(status=404, text="<h1>Error 404</h1>", content_type="text/html")
        text = "<title>Download file film&amp;1.bin</title> File size: <strong>1.5 MB</strong>"
        return web.Response(text=text, content_type="text/html")

    async def folder_page(self, request: web.Request) -> web.Response:
        number = int(request.query["page"])
        shown = number if self.endless else min(number, 2)
        rows = [
            f'<tr><td><a href="/file/{shown}{each}/x.html">part{shown}{each}.rar</a></td>'
            f"<td>{each} MB</td></tr>"
            for each in (1, 2)
        ]
        text = f"<title>Download folder Holiday</title><table>{''.join(rows)}</table>"
        return web.Response(text=text, content_type="text/html")

    async def login(self, request: web.Request) -> web.Response:
        form = await request.post()
        if (form["login"], form["password"]) != (self.account.user, self.account.secret):
            return self.answer(None, 401)
        self.logins += 1
        name = "session_id" if self.old_names else "token"
        return self.answer({name: f"token{self.logins}"})

    async def user(self, request: web.Request) -> web.Response:
        old = {"expire_date": 1_893_456_000, "traffic_left": "1000"}
        traffic = {"total": 2000, "left": 1000}
        new = {"is_premium": True, "premium_end_time": 1_893_456_000, "traffic": traffic}
        return await self.known(request, old if self.old_names else {"user": new})

    async def info(self, request: web.Request) -> web.Response:
        payload = {"size": str(len(DATA)), "hash": hashlib.md5(DATA).hexdigest()}
        if self.old_names:
            return await self.known(request, {"filename": "film.bin", **payload})
        return await self.known(request, {"file": {"file_id": ID, "name": "film.bin", **payload}})

    async def download(self, request: web.Request) -> web.Response:
        name = "url" if self.old_names else "download_url"
        return await self.known(request, {name: f"{self.base}/dl/film"})

    async def content(self, request: web.Request) -> web.Response:
        if not self.own_folders:
            return self.answer(None, 404)
        number = int((await request.post())["page"])  # type: ignore[arg-type]
        count = 500 if number == 1 or self.endless else 3
        first = 0 if self.endless else number * 1000
        files = [{"file_id": first + n, "name": f"{n}.bin", "size": n} for n in range(1, count + 1)]
        return await self.known(request, {"folder": {"name": "Mine", "files": files}})

    async def known(self, request: web.Request, payload: dict[str, Any]) -> web.Response:
        sessions = range(self.ended + 1, self.logins + 1)
        if (await request.post())["token"] not in {f"token{number}" for number in sessions}:
            return self.answer(None, 401)
        return self.answer(payload, self.refusal)

    def answer(self, payload: dict[str, Any] | None, status: int = 200) -> web.Response:
        start = "response_" if self.old_names else ""
        details = None if status == 200 else "Error: it did not work"
        body = {"response": payload, f"{start}status": status, f"{start}details": details}
        return web.json_response(body)
