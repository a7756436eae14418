"""rapidgator.net: checks links as a guest, downloads with a premium account and the API."""

from typing import Any

import msgspec

from quartet.downloads.hosters.builtin._folders import folder_of
from quartet.downloads.hosters.builtin._responses import (
    BAD_LOGIN,
    FILE_GONE,
    NOT_PREMIUM,
    TRAFFIC_USED_UP,
    UNAVAILABLE,
    UNEXPECTED,
    KnownError,
    MaybeAddress,
    Timestamp,
    converted,
    error_of_code,
    hash_of,
    parsed,
)
from quartet.downloads.hosters.builtin.rapidgator.pages import file_on, folder_pages
from quartet.downloads.hosters.plugin_types import Name, Size
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

COOKIE = "api_token"
PER_PAGE = 500
MOST_PAGES = 100
EXPIRED = 401

ERRORS: dict[int, KnownError] = {
    401: BAD_LOGIN,
    402: NOT_PREMIUM,
    403: NOT_PREMIUM,
    404: FILE_GONE,
    406: BAD_LOGIN,
    423: TRAFFIC_USED_UP,
    500: UNAVAILABLE,
    503: UNAVAILABLE,
}


class _RapidgatorAnswer(msgspec.Struct):
    """Version 2 of the API sends `status`, version 1 `response_status`; other fields likewise."""

    response: Any = None
    status: int | None = None
    response_status: int | None = None
    details: str | None = None
    response_details: str | None = None


class _Traffic(msgspec.Struct):
    left: Size | None = None


class _RapidgatorUser(msgspec.Struct):
    is_premium: bool | None = None
    premium_end_time: Timestamp | None = None
    expire_date: Timestamp | None = None
    traffic: _Traffic | None = None
    traffic_left: Size | None = None


class _Login(msgspec.Struct):
    token: str | None = None
    session_id: str | None = None


class _RapidgatorFile(msgspec.Struct):
    file_id: str | int = ""
    name: Name | None = None
    filename: Name | None = None
    size: Size | None = None
    hash: str | None = None


class _RapidgatorDownload(msgspec.Struct):
    download_url: MaybeAddress | None = None
    url: MaybeAddress | None = None


class _RapidgatorFolder(msgspec.Struct):
    name: Name | None = None
    files: list[_RapidgatorFile] = []


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
        """Use the API for folders of the account's owner, and the web page for all others."""
        if ctx.account:
            try:
                return await self._own_folder(link.parts["id"], ctx)
            except PluginError as error:
                ctx.log(f"not a folder of this account: {error}")
        address = f"{self.settings['base']}/folder/{link.parts['id']}"
        return await folder_pages(address, ctx, MOST_PAGES)

    async def resolve(self, link: Link, ctx: Context) -> File:
        request = {"file_id": link.parts["id"]}
        answer = await self._call("file/info", ctx, request)
        # Version 2 nests the file in an object.
        info = converted(answer.get("file", answer), _RapidgatorFile)
        ready = converted(await self._call("file/download", ctx, request), _RapidgatorDownload)
        address = ready.download_url or ready.url
        if not address:
            raise UNEXPECTED.error()
        return File(
            address, name=info.name or info.filename, size=info.size, hash=hash_of("md5", info.hash)
        )

    async def check_account(self, ctx: Context) -> AccountState:
        await self._login(ctx)
        answer = await self._call("user/info", ctx, {})
        user = converted(answer.get("user", answer), _RapidgatorUser)
        until = user.premium_end_time or user.expire_date
        premium = until is not None if user.is_premium is None else user.is_premium
        left = user.traffic.left if user.traffic else user.traffic_left
        return AccountState(valid=True, premium=premium, traffic_left=left, valid_until=until)

    async def _own_folder(self, id: str, ctx: Context) -> Folder:
        found: list[FileLink] = []
        name = None
        for page in range(1, MOST_PAGES + 1):
            request = {"folder_id": id, "page": str(page), "per_page": str(PER_PAGE)}
            answer = await self._call("folder/content", ctx, request)
            folder = converted(answer.get("folder", answer), _RapidgatorFolder)
            name = folder.name
            found += [_link(each) for each in folder.files if each.file_id]
            if len(folder.files) < PER_PAGE:
                break
        return folder_of(found, name)

    async def _call(self, path: str, ctx: Context, request: dict[str, str]) -> dict[str, Any]:
        """Use the stored token, and log in again if it has expired."""
        cookies = await ctx.http.cookies(self.settings["base"])
        token = cookies.get(COOKIE) or await self._login(ctx)
        answer = await self._ask(path, ctx, {**request, "token": token})
        if answer.status == EXPIRED:
            token = await self._login(ctx)
            answer = await self._ask(path, ctx, {**request, "token": token})
        if answer.status == EXPIRED:
            # The login succeeded, so another login has replaced the token.
            raise UNAVAILABLE.error()
        return _result_of(answer)

    async def _login(self, ctx: Context) -> str:
        user, secret = (ctx.account.user, ctx.account.secret) if ctx.account else ("", "")
        answer = await self._ask("user/login", ctx, {"login": user, "password": secret})
        login = converted(_result_of(answer), _Login)
        token = login.token or login.session_id
        if not token:
            raise UNEXPECTED.error()
        await ctx.http.set_cookie(self.settings["base"], COOKIE, token)
        return token

    async def _ask(self, path: str, ctx: Context, form: dict[str, str]) -> _RapidgatorAnswer:
        page = await ctx.http.post(f"{self.settings['base']}/api/v2/{path}", form=form)
        answer = parsed(page, _RapidgatorAnswer)
        answer.status = answer.status or answer.response_status
        answer.details = answer.details or answer.response_details
        return answer


def _result_of(answer: _RapidgatorAnswer) -> dict[str, Any]:
    if answer.status == 200:
        return converted(answer.response, dict[str, Any])
    if answer.status in ERRORS:
        raise ERRORS[answer.status].error()
    raise error_of_code({}, "", answer.details or "")


def _link(file: _RapidgatorFile) -> FileLink:
    address = f"https://rapidgator.net/file/{file.file_id}"
    return FileLink(address, file.name or file.filename, file.size, hash_of("md5", file.hash))
