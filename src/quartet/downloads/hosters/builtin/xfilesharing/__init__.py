"""Base class for sites that run XFileSharing.

A subclass sets `id`, `name`, `domains`, `matches` with a group `id`, and `settings` with `base`.
"""

import html
import re
import time
from typing import Any, ClassVar

import msgspec

from quartet.downloads.hosters.builtin._folders import folder_of
from quartet.downloads.hosters.builtin._pages import (
    HtmlForm,
    anchors,
    resolved_url,
    size_in,
    truncated,
)
from quartet.downloads.hosters.builtin._responses import (
    BAD_KEY,
    BAD_LOGIN,
    FILE_GONE,
    PASSWORD_PROTECTED,
    UNEXPECTED,
    converted,
    error_of_code,
    parsed,
    require_available,
    secret_of,
    timestamp_of,
    with_password,
)
from quartet.downloads.hosters.builtin.xfilesharing import pages
from quartet.downloads.hosters.plugin_types import Address, Name, Size
from quartet.downloads.hosters.sdk import (
    AccountForm,
    AccountState,
    Checked,
    Context,
    File,
    FileLink,
    Folder,
    Hoster,
    Link,
    Page,
    Temporary,
    Text,
)

# Two forms, and a few wrong captchas.
MOST_STEPS = 6
# No more pages of a folder are read.
MOST_PAGES = 50
NO_END = Text(
    de="Die Seite gibt die Datei nicht heraus.",
    en="The page does not hand out the file.",
)
ERRORS = {"400": BAD_KEY, "401": BAD_KEY, "403": BAD_KEY, "404": FILE_GONE}


class _XFileSharingAnswer(msgspec.Struct):
    status: int
    msg: str = ""
    result: Any = None


class _XFileSharingDirect(msgspec.Struct):
    url: Address
    name: Name | None = None
    size: Size | None = None


class _XFileSharingUser(msgspec.Struct):
    premium_expire: str | None = None
    traffic_left: Size | None = None


class XFileSharing(Hoster):
    account = AccountForm(
        user_label=Text(de="Benutzername", en="User name"),
        secret_label=Text(de="Passwort", en="Password"),
        help=Text(
            de="Ohne Benutzername gilt das Passwort als API-Schlüssel.",
            en="Without a user name the password is taken for an API key.",
        ),
    )
    # Guests may download one file at a time.
    serial = True
    # Patterns for name and size of the file on a page; each has one group.
    name_pattern: ClassVar[str] = r'name="fname" value="([^"]{1,1000})"'
    size_pattern: ClassVar[str] = (
        r"size[^\d<]{0,20}(?:<[^>]{0,100}>)?\s{0,5}([\d.,]{1,12} ?[kmgt]?b)"
    )

    async def check(self, link: Link, ctx: Context) -> Checked:
        page = truncated(await ctx.http.get(self._page(link)))
        if page.file:
            return Checked(online=True)
        name = pages.require_no_error(page).find(self.name_pattern)
        if not name:
            raise UNEXPECTED.error()
        size = size_in(page.find(self.size_pattern) or "")
        return Checked(online=True, name=html.unescape(name).strip(), size=size)

    async def crawl(self, link: Link, ctx: Context) -> Folder:
        """Crawl a folder, for sites with `folders` patterns that have a group `folder`."""
        files: dict[str, FileLink] = {}
        address = f"{self.settings['base']}/{link.parts['folder']}"
        for number in range(1, MOST_PAGES + 1):
            page = truncated(
                require_available(await ctx.http.get(address, query={"page": str(number)}))
            )
            if page.status == 404:
                raise FILE_GONE.error()
            new = {url: FileLink(url) for url in self._files_on(page, link) if url not in files}
            if not new:
                break
            files |= new
        return folder_of(files.values(), None)

    def _files_on(self, page: Page, link: Link) -> list[str]:
        urls = [resolved_url(link.url, each.get("href", "")) for each in anchors(page.text)]
        return [url for url in urls if any(re.match(each, url, re.I) for each in self.matches)]

    async def resolve(self, link: Link, ctx: Context) -> File:
        if _has_key(ctx):
            code = link.parts["id"]
            found = converted(
                await self._call("/file/direct_link", ctx, file_code=code), _XFileSharingDirect
            )
            return File(found.url, name=found.name, size=found.size)

        async def find_address(password: str | None) -> str:
            return await self._submit_forms(link, ctx, password)

        address = await with_password(ctx, find_address)
        return File(address, cookies=await ctx.http.cookies(address))

    async def check_account(self, ctx: Context) -> AccountState:
        if _has_key(ctx):
            user = converted(await self._call("/account/info", ctx), _XFileSharingUser)
            until, left = timestamp_of(user.premium_expire), user.traffic_left
        else:
            await self._login(ctx)
            page = await ctx.http.get(self.settings["base"], query={"op": "my_account"})
            page = truncated(require_available(page))
            until, left = pages.premium_until(page), pages.traffic_left(page)
        premium = until is not None and until > time.time()
        return AccountState(
            valid=True, premium=premium, traffic_left=left, valid_until=until if premium else None
        )

    async def _submit_forms(self, link: Link, ctx: Context, password: str | None) -> str:
        page = await self._first_page(link, ctx)
        for _ in range(MOST_STEPS):
            if address := pages.file_link(page):
                return address
            form = pages.next_form(pages.require_no_error(page))
            sent = await self._filled(form, page, ctx, password)
            page = truncated(await ctx.http.post(resolved_url(page.url, form.action), form=sent))
            if pages.captcha_was_wrong(page):
                await ctx.captcha_refused()
        if address := pages.file_link(page):
            return address
        raise Temporary(NO_END)

    async def _first_page(self, link: Link, ctx: Context) -> Page:
        page = truncated(await ctx.http.get(self._page(link)))
        if ctx.account and not page.file and not _logged_in(page):
            await self._login(ctx)
            page = truncated(await ctx.http.get(self._page(link)))
        return page

    async def _filled(
        self, form: HtmlForm, page: Page, ctx: Context, password: str | None
    ) -> dict[str, str]:
        began = time.monotonic()
        button = "method_premium" if ctx.account else "method_free"
        sent = {**form.fields}
        if button in form.buttons:
            sent[button] = form.buttons[button]
        if "password" in form.fields:
            if not password:
                raise PASSWORD_PROTECTED.error()
            sent["password"] = password
        sent.update(await pages.captcha(page, ctx))
        # The time the user took for the captcha counts towards the countdown.
        await ctx.wait(max(0.0, pages.countdown(page) - (time.monotonic() - began)))
        return sent

    async def _login(self, ctx: Context) -> None:
        if ctx.account is None:
            raise BAD_LOGIN.error()
        base = self.settings["base"]
        login = {"op": "login", "login": ctx.account.user, "password": ctx.account.secret}
        before = (await ctx.http.cookies(base)).get("xfss")
        page = truncated(
            require_available(await ctx.http.post(f"{base}/", form={**login, "redirect": ""}))
        )
        if page.find(r"((?:incorrect|wrong|invalid) (?:login|user|password))"):
            raise BAD_LOGIN.error()
        # A successful login creates a new session.
        if (await ctx.http.cookies(base)).get("xfss") == before and not _logged_in(page):
            raise UNEXPECTED.error()

    async def _call(self, path: str, ctx: Context, **query: str) -> Any:
        address = f"{self.settings['base']}/api{path}"
        page = await ctx.http.get(address, query={"key": secret_of(ctx), **query})
        answer = parsed(page, _XFileSharingAnswer)
        if answer.status != 200:
            raise error_of_code(ERRORS, str(answer.status), answer.msg)
        return answer.result

    def _page(self, link: Link) -> str:
        return f"{self.settings['base']}/{link.parts['id']}"


def _has_key(ctx: Context) -> bool:
    return ctx.account is not None and not ctx.account.user


def _logged_in(page: Page) -> bool:
    return page.find(r"(op=logout|/logout\b)") is not None
