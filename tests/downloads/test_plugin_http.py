"""HTTP requests and cookies of plugins."""

from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from quartet.downloads.hosters.errors import Fatal, PluginError, Temporary
from quartet.downloads.hosters.plugin_types import Account
from tests.downloads.plugins import LINK, Bench, bench, imitation, plugin_text

pytestmark = pytest.mark.anyio


async def login(request: web.Request) -> web.Response:
    form: Any = await request.post()
    answer = web.HTTPFound("/page")
    answer.set_cookie("session", f"of-{form['user']}", max_age=1000)
    raise answer


async def page(request: web.Request) -> web.Response:
    return web.Response(text=request.headers.get("Cookie", "-"))


async def file(request: web.Request) -> web.Response:
    return web.Response(body=b"x" * 100, headers={"Content-Disposition": "attachment"})


async def in_circles(request: web.Request) -> web.Response:
    raise web.HTTPFound("/circle")


ROUTES: dict[str, Any] = {
    "POST /login": login,
    "GET /page": page,
    "GET /file": file,
    "GET /circle": in_circles,
}
LOGIN = """
    async def resolve(self, link, ctx):
        base = self.settings["base"]
        page = await ctx.http.post(base + "/login", form={"user": ctx.account.user})
        return File(base, name=page.text, cookies=await ctx.http.cookies(base))
"""
LOOK = """
    async def resolve(self, link, ctx):
        page = await ctx.http.get(self.settings["base"] + "/page")
        return File("http://x", name=page.text)
"""
ADA, BOB = Account(1, "ada", "pw"), Account(2, "bob", "pw")


async def name(on: Bench, text: str, base: str, account: Account | None) -> str | None:
    plugin = await on.plugin(plugin_text(text), base=base)
    file = (await on.calls.resolve(plugin, plugin.link(LINK), account, None)).value
    return file.name


async def test_sessions_are_kept_per_account_and_encrypted(tmp_path: Path) -> None:
    async with imitation(ROUTES) as base:
        async with bench(tmp_path) as on:
            # Set by the redirect.
            assert await name(on, LOGIN, base, ADA) == "session=of-ada"
            assert await name(on, LOGIN, base, BOB) == "session=of-bob"
            assert await name(on, LOOK, base, None) == "-"
        async with bench(tmp_path) as after_restart:
            assert await name(after_restart, LOOK, base, ADA) == "session=of-ada"
    stored = list(tmp_path.glob("*.sqlite3*"))
    assert stored
    assert not any(b"of-ada" in path.read_bytes() for path in stored)


@pytest.mark.parametrize("odd", ["prefs[lang]", "a/b", "x@y", "k{v}", "path", "expires"])
async def test_cookies_with_unusual_names_are_kept(tmp_path: Path, odd: str) -> None:
    async def welcome(request: web.Request) -> web.Response:
        return web.Response(text="-", headers={"Set-Cookie": f"{odd}=1; path=/"})

    visit = LOOK.replace("/page", "/welcome")
    async with imitation({**ROUTES, "GET /welcome": welcome}) as base:
        async with bench(tmp_path) as on:
            await name(on, visit, base, None)
        async with bench(tmp_path) as after_restart:
            assert await name(after_restart, LOOK, base, None) == f"{odd}=1"


async def test_changed_key_starts_new_session(tmp_path: Path) -> None:
    async with imitation(ROUTES) as base:
        async with bench(tmp_path) as on:
            await name(on, LOGIN, base, ADA)
        key = tmp_path / "keys" / "secrets.key"
        assert (key.stat().st_mode & 0o777, len(key.read_bytes())) == (0o600, 32)
        key.write_bytes(b"x" * 32)
        async with bench(tmp_path) as on:
            assert await name(on, LOOK, base, ADA) == "-"


async def test_files_are_not_read_as_pages(tmp_path: Path) -> None:
    body = """
        async def resolve(self, link, ctx):
            page = await ctx.http.get(self.settings["base"] + "/file")
            return File(page.url, name=f"{page.file} {len(page.body)}")
    """
    async with imitation(ROUTES) as base, bench(tmp_path) as on:
        assert await name(on, body, base, None) == "True 0"


REFUSED: list[tuple[str, type[PluginError], str]] = [
    ("base + '/circle'", Temporary, "too_many_redirects"),
    ("'http://127.0.0.1:9/'", Temporary, "unreachable"),
    ("'file:///etc/passwd'", Fatal, "bad_address"),
    ("'http://user:pw@x/'", Fatal, "bad_address"),
]


async def test_invalid_requests_raise_plugin_errors(tmp_path: Path) -> None:
    async with imitation(ROUTES) as base, bench(tmp_path) as on:
        for address, kind, code in REFUSED:
            body = f"""
                async def resolve(self, link, ctx):
                    base = self.settings["base"]
                    await ctx.http.get({address})
            """
            with pytest.raises(kind) as caught:
                await name(on, body, base, None)
            assert caught.value.problem and caught.value.problem.code == code
