from typing import Any

from aiohttp import web

from quartet.downloads.hosters.sdk import Account
from tests.downloads.imitations.site import DATA, Site
from tests.downloads.plugins import Handler

FIRST = """
<div class="name position-relative"><h4>film&amp;1.bin</h4></div>
<span class="file-size">1.5 MB</span> <p>Highest speed only for Premium users!</p>
<form method="POST" action="">
  <input type="hidden" name="op" value="download1"><input type="hidden" name="id" value="{id}">
  <input type="hidden" name="fname" value="film&amp;1.bin"> Size: <b>1.5 MB</b>
  <input type="submit" name="method_free" value="Free Download">
  <input type="submit" name="method_premium" value="Premium Download">
</form>"""
SECOND = """
<form name="F1" method="POST" action="">
  <input type="hidden" name="op" value="download2"><input type="hidden" name="rand" value="r4nd">
  {captcha}{password}{error}<span class="seconds">{seconds}</span>
</form>"""
DIGITS = "".join(
    f"<span style='position:absolute;padding-left:{left}px;padding-top:4px;'>&#{code};</span>"
    for left, code in ((64, 52), (4, 49), (44, 51), (24, 50))
)
CAPTCHAS = {
    "": "",
    "recaptcha": '<div class="g-recaptcha" data-sitekey="site-key"></div>',
    "hcaptcha": '<div class="h-captcha" data-sitekey="site-key"></div>',
    "turnstile": '<div class="cf-turnstile" data-sitekey="site-key"></div>',
    "image": '<img src="/captchas/one.jpg"><input name="code">',
    "digits": f'{DIGITS}<input name="code">',
}
FIELDS = {
    "recaptcha": "g-recaptcha-response",
    "hcaptcha": "h-captcha-response",
    "turnstile": "cf-turnstile-response",
}
IMAGE = b"\xff\xd8picture"


class XFileSharingSite(Site):
    """Tested with DDownload, and with a plugin for a site that also has the API."""

    plugin = "ddownload"
    file_link = "https://ddownload.com/abcdef123456/film.rar"
    account = Account(1, "ada", "secret")
    key = "XFS-KEY"
    captcha = ""
    answer = ""
    password = ""
    seconds = 0
    # Shown instead of the next page.
    says = ""
    sessions = 0
    # How many sessions have expired.
    ended = 0
    forms: list[dict[str, Any]]

    def __init__(self) -> None:
        self.forms = []

    def routes(self) -> dict[str, Handler]:
        return {
            "GET /": self.my_account,
            "POST /": self.login,
            "GET /{id:[a-z0-9]{12}}": self.page,
            "POST /{id:[a-z0-9]{12}}": self.page,
            "GET /users/ada/77": self.folder,
            "GET /captchas/one.jpg": self.image,
            "GET /api/file/direct_link": self.direct_link,
            "GET /api/account/info": self.account_info,
            "GET /d/abc/film.bin": self.file,
        }

    async def folder(self, request: web.Request) -> web.Response:
        """Return two pages; beyond the last one, it is repeated."""
        if request.query["page"] == "1":
            return html('<a href="/aaaaaaaaaaa1/a.rar">a</a> <a href="/premium">Premium</a>')
        return html('<a href="https://ddownload.com/aaaaaaaaaaa2">b</a> <a>nothing</a>')

    async def page(self, request: web.Request) -> web.Response:
        form = dict(await request.post())
        self.forms += [form] if form else []
        if request.match_info["id"] != "abcdef123456":
            return html("<h2>File Not Found</h2>")
        if self.says and (form or self.member(request)):
            return html(self.says)
        if form.get("op") == "download2":
            return self.second(form)
        if form.get("op") == "download1" or self.member(request):
            return self.second({})
        return html(FIRST.format(id=request.match_info["id"]))

    def second(self, form: dict[str, Any]) -> web.Response:
        field = FIELDS.get(self.captcha, "code")
        captcha_right = form.get(field, "") == self.answer
        password_right = form.get("password", "") == self.password
        if form and captcha_right and password_right:
            return html(f'<a href="/faq">?</a><a href="{self.base}/d/abc/film.bin">Click</a>')
        error = "" if captcha_right else "Wrong captcha"
        if form and captcha_right:
            error = "Wrong password"
        return html(
            "<a href='/?op=logout'>"
            + SECOND.format(
                captcha=CAPTCHAS[self.captcha],
                password='<input type="password" name="password">' if self.password else "",
                error=f"<b class=err>{error}</b>" if form else "",
                seconds=self.seconds,
            )
        )

    async def login(self, request: web.Request) -> web.Response:
        form = await request.post()
        assert form["op"] == "login"
        if (form["login"], form["password"]) != (self.account.user, self.account.secret):
            return html("Incorrect Login or Password")
        self.sessions += 1
        answer = html("<a href='/?op=logout'>Logout</a>")
        answer.set_cookie("xfss", f"session{self.sessions}")
        return answer

    async def my_account(self, request: web.Request) -> web.Response:
        assert request.query["op"] == "my_account"
        assert self.member(request)
        return html(
            "<td>Traffic available today:</td><td><b>2000 MB</b></td>"
            "<td>Premium account expire:</td><td><b>1 January 2030</b></td>"
        )

    async def image(self, request: web.Request) -> web.Response:
        return web.Response(body=IMAGE, content_type="image/jpeg")

    async def direct_link(self, request: web.Request) -> web.Response:
        if request.query["file_code"] != "abcdef123456":
            return web.json_response({"status": 404, "msg": "no file", "result": None})
        found = {"url": f"{self.base}/d/abc/film.bin", "size": len(DATA), "name": "film.bin"}
        return self.result(request, found)

    async def account_info(self, request: web.Request) -> web.Response:
        return self.result(
            request, {"email": "a@b.invalid", "premium_expire": "2030-01-01 00:00:00"}
        )

    def result(self, request: web.Request, result: dict[str, Any]) -> web.Response:
        if request.query["key"] != self.key:
            return web.json_response({"status": 403, "msg": "Wrong key"}, status=403)
        return web.json_response({"status": 200, "msg": "OK", "result": result})

    def member(self, request: web.Request) -> bool:
        sessions = range(self.ended + 1, self.sessions + 1)
        return request.cookies.get("xfss") in {f"session{number}" for number in sessions}


def html(text: str) -> web.Response:
    return web.Response(text=text, content_type="text/html")
