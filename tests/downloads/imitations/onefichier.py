from typing import Any

from aiohttp import web

from quartet.downloads.hosters.sdk import Account
from tests.downloads.imitations.site import DATA, Bearer
from tests.downloads.plugins import Handler

FORM = (
    '<form action="/?abcdefghij" method="post"><input type="hidden" name="adz" value="42">{}</form>'
)
PASSWORD = '<input type="password" name="pass">'


class OneFichierSite(Bearer):
    plugin = "1fichier"
    file_link = "https://1fichier.com/?abcdefghij&af=123"
    folder_link = "https://1fichier.com/dir/Fo1der"
    account = Account(1, "", "1F-KEY")
    password = ""
    # Returned instead of a file, by the API and on the page.
    refusal = ""
    page_says = ""

    def settings(self) -> dict[str, str]:
        return {"base": self.base, "api": f"{self.base}/v1"}

    def routes(self) -> dict[str, Handler]:
        return {
            "POST /check_links.pl": self.check,
            "POST /dir/{id}": self.folder,
            "GET /": self.page,
            "POST /": self.page,
            "POST /v1/download/get_token.cgi": self.token,
            "POST /v1/user/info.cgi": self.user,
            "GET /dl/film": self.file,
        }

    async def check(self, request: web.Request) -> web.Response:
        link = str((await request.post())["links[]"])
        words = {
            "abcdefghij": f"film;1.bin;{len(DATA)}",
            "gonegonego": ";;NOT FOUND",
            "privatefil": ";;PRIVATE",
        }
        return web.Response(text=f"{link};{words[link.partition('?')[2]]}\n")

    async def folder(self, request: web.Request) -> web.Response:
        assert request.query["json"] == "1"
        if request.match_info["id"] != "Fo1der":
            return web.Response(status=404, text="<html>", content_type="text/html")
        if self.password and (await request.post()).get("pass") != self.password:
            return web.Response(text=FORM.format(PASSWORD), content_type="text/html")
        return web.json_response(
            [
                {
                    "filename": "film.bin",
                    "size": len(DATA),
                    "link": "https://1fichier.com/?abcdefghij",
                },
                {"filename": "b.bin", "size": "7", "link": "https://1fichier.com/?bbbbbbbbbb"},
            ]
        )

    async def page(self, request: web.Request) -> web.Response:
        assert "abcdefghij" in request.query_string
        form = await request.post()
        if self.page_says:
            text = f"<div class=bloc>{self.page_says}</div>"
        elif form.get("adz") == "42" and form.get("pass", "") == self.password:
            text = f'<a href="{self.base}/dl/film" class="ok btn-general btn-orange">Download</a>'
        else:
            text = FORM.format(PASSWORD if self.password else "")
        return web.Response(text=text, content_type="text/html")

    async def token(self, request: web.Request) -> web.Response:
        asked = await request.json()
        assert asked["url"] == "https://1fichier.com/?abcdefghij"
        if self.refusal:
            return failure(self.refusal)
        if asked.get("pass", "") != self.password:
            return failure("Resource need a password #122")
        return self.answer(request, {"url": f"{self.base}/dl/film", "status": "OK"})

    async def user(self, request: web.Request) -> web.Response:
        user = {
            "email": "a@b.invalid",
            "offer": "Premium",
            "subscription_end": "2030-01-01 00:00:00",
        }
        return self.answer(request, {"status": "OK", **user})

    def answer(self, request: web.Request, payload: dict[str, Any]) -> web.Response:
        if self.refused(request):
            return failure("Not authenticated #247", 403)
        return web.json_response(payload)


def failure(message: str, status: int = 200) -> web.Response:
    return web.json_response({"status": "KO", "message": message}, status=status)
