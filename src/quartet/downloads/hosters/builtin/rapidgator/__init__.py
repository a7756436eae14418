"""rapidgator.net: checks as a guest, fetches with a premium account through its API."""

from typing import Any

import msgspec

from quartet.downloads.hosters.builtin._answers import (
    AWAY,
    BAD_LOGIN,
    GONE,
    NOT_PREMIUM,
    STRANGE,
    USED_UP,
    MaybeAddress,
    Moment,
    Refusal,
    answered,
    hash_of,
    refused,
    shaped,
)
from quartet.downloads.hosters.builtin._folders import folder_of
from quartet.downloads.hosters.builtin.rapidgator.pages import file_on, folder_pages
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
    PluginError,
    Text,
)
from quartet.downloads.hosters.shapes import Name, Size

COOKIE = "api_token"
PER_PAGE = 500
MOST_PAGES = 100
EXPIRED = 401

REFUSALS: dict[int, Refusal] = {
    401: BAD_LOGIN,
    402: NOT_PREMIUM,
    403: NOT_PREMIUM,
    404: GONE,
    406: BAD_LOGIN,
    423: USED_UP,
    500: AWAY,
    503: AWAY,
}


class _Answer(msgspec.Struct):
    """Version 2 of the API says `status`, version 1 `response_status`; so with all fields."""

    response: Any = None
    status: int | None = None
    response_status: int | None = None
    details: str | None = None
    response_details: str | None = None


class _Traffic(msgspec.Struct):
    left: Size | None = None


class _User(msgspec.Struct):
    is_premium: bool | None = None
    premium_end_time: Moment | None = None
    expire_date: Moment | None = None
    traffic: _Traffic | None = None
    traffic_left: Size | None = None


class _Login(msgspec.Struct):
    token: str | None = None
    session_id: str | None = None


class _File(msgspec.Struct):
    file_id: str | int = ""
    name: Name | None = None
    filename: Name | None = None
    size: Size | None = None
    hash: str | None = None


class _Download(msgspec.Struct):
    download_url: MaybeAddress | None = None
    url: MaybeAddress | None = None


class _Folder(msgspec.Struct):
    name: Name | None = None
    files: list[_File] = []


class Rapidgator(Hoster):
    id = "rapidgator"
    name = "Rapidgator"
    version = "1.0"
    domains = ["rapidgator.net", "rg.to", "rapidgator.asia"]
    matches = [
        r"https?://(?:www\.)?(?:rapidgator\.(?:net|asia)|rg\.to)/file/(?P<id>[0-9a-f]{32}|\d+)"
    ]
    folders = [r"https?://(?:www\.)?(?:rapidgator\.(?:net|asia)|rg\.to)/folder/(?P<id>\d+)"]
    account_required = True
    account = AccountForm(
        user_label=Text(de="E-Mail", en="E-mail"),
        secret_label=Text(de="Passwort", en="Password"),
    )
    settings = {"base": "https://rapidgator.net"}

    async def check(self, link: Link, ctx: Context) -> Checked:
        return file_on(await ctx.http.get(f"{self.settings['base']}/file/{link.parts['id']}"))

    async def crawl(self, link: Link, ctx: Context) -> Folder:
        """Its API knows only folders of the account's owner; all others have a page."""
        if ctx.account:
            try:
                return await self._own_folder(link.parts["id"], ctx)
            except PluginError as error:
                ctx.log(f"not a folder of this account: {error}")
        address = f"{self.settings['base']}/folder/{link.parts['id']}"
        return await folder_pages(address, ctx, MOST_PAGES)

    async def resolve(self, link: Link, ctx: Context) -> File:
        asked = {"file_id": link.parts["id"]}
        told = await self._call("file/info", ctx, asked)
        # Version 2 puts the file into an object of its own.
        info = shaped(told.get("file", told), _File)
        ready = shaped(await self._call("file/download", ctx, asked), _Download)
        address = ready.download_url or ready.url
        if not address:
            raise STRANGE.error()
        return File(
            address, name=info.name or info.filename, size=info.size, hash=hash_of("md5", info.hash)
        )

    async def check_account(self, ctx: Context) -> AccountState:
        await self._login(ctx)
        told = await self._call("user/info", ctx, {})
        user = shaped(told.get("user", told), _User)
        until = user.premium_end_time or user.expire_date
        premium = until is not None if user.is_premium is None else user.is_premium
        left = user.traffic.left if user.traffic else user.traffic_left
        return AccountState(valid=True, premium=premium, traffic_left=left, valid_until=until)

    async def _own_folder(self, id: str, ctx: Context) -> Folder:
        found: list[FileLink] = []
        name = None
        for page in range(1, MOST_PAGES + 1):
            asked = {"folder_id": id, "page": str(page), "per_page": str(PER_PAGE)}
            told = await self._call("folder/content", ctx, asked)
            folder = shaped(told.get("folder", told), _Folder)
            name = folder.name
            found += [_link(each) for each in folder.files if each.file_id]
            if len(folder.files) < PER_PAGE:
                break
        return folder_of(found, name)

    async def _call(self, path: str, ctx: Context, asked: dict[str, str]) -> dict[str, Any]:
        """A token lasts for a while, over restarts, and is then exchanged for a new one."""
        cookies = await ctx.http.cookies(self.settings["base"])
        token = cookies.get(COOKIE) or await self._login(ctx)
        answer = await self._ask(path, ctx, {**asked, "token": token})
        if answer.status == EXPIRED:
            token = await self._login(ctx)
            answer = await self._ask(path, ctx, {**asked, "token": token})
        if answer.status == EXPIRED:
            # The login was right: another one has come between.
            raise AWAY.error()
        return _told(answer)

    async def _login(self, ctx: Context) -> str:
        user, secret = (ctx.account.user, ctx.account.secret) if ctx.account else ("", "")
        answer = await self._ask("user/login", ctx, {"login": user, "password": secret})
        login = shaped(_told(answer), _Login)
        token = login.token or login.session_id
        if not token:
            raise STRANGE.error()
        await ctx.http.set_cookie(self.settings["base"], COOKIE, token)
        return token

    async def _ask(self, path: str, ctx: Context, form: dict[str, str]) -> _Answer:
        page = await ctx.http.post(f"{self.settings['base']}/api/v2/{path}", form=form)
        answer = answered(page, _Answer)
        answer.status = answer.status or answer.response_status
        answer.details = answer.details or answer.response_details
        return answer


def _told(answer: _Answer) -> dict[str, Any]:
    if answer.status == 200:
        return shaped(answer.response, dict[str, Any])
    if answer.status in REFUSALS:
        raise REFUSALS[answer.status].error()
    raise refused({}, "", answer.details or "")


def _link(file: _File) -> FileLink:
    address = f"https://rapidgator.net/file/{file.file_id}"
    return FileLink(address, file.name or file.filename, file.size, hash_of("md5", file.hash))
