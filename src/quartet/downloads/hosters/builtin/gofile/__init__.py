"""gofile.io: folders of files. Guests need a token too, which is created on demand."""

import hashlib
import time
from typing import Any

import msgspec

from quartet.downloads.hosters.builtin._folders import folder_of, walk
from quartet.downloads.hosters.builtin._responses import (
    BAD_KEY,
    FILE_GONE,
    PASSWORD_PROTECTED,
    PREMIUM_ONLY,
    RATE_LIMITED,
    UNEXPECTED,
    KnownError,
    MaybeAddress,
    PasswordNeeded,
    api_key,
    converted,
    error_of_code,
    hash_of,
    parsed,
    secret_of,
    with_password,
)
from quartet.downloads.hosters.plugin_types import Name, Size
from quartet.downloads.hosters.sdk import (
    AccountState,
    Checked,
    Context,
    File,
    FileLink,
    Folder,
    Hoster,
    Link,
    Offline,
    Temporary,
    Text,
)
from quartet.downloads.transfer.types import Job

COOKIE = "accountToken"
# The proof includes the user agent, so files must be fetched with the same one.
AGENT = Job.user_agent
LANGUAGE = "en-US"
OPEN = "passwordOk"
SLOT_SECONDS = 4 * 3600
MOST_PAGES = 50

CHANGED = KnownError(
    Temporary,
    Text(
        de="Gofile hat sich geändert; in settings.toml fehlt das neue salt.",
        en="Gofile has changed; settings.toml lacks its new salt.",
    ),
)
ERRORS = {
    "error-notFound": FILE_GONE,
    "error-notPremium": CHANGED,
    "error-passwordRequired": PASSWORD_PROTECTED,
    "error-passwordWrong": PASSWORD_PROTECTED,
    "error-rateLimit": RATE_LIMITED,
    "error-token": BAD_KEY,
    "error-wrongToken": BAD_KEY,
    "error-auth": BAD_KEY,
}
EXPIRED = ("error-token", "error-wrongToken", "error-auth")


class _Metadata(msgspec.Struct, rename="camel"):
    has_next_page: bool = False


class _GofileAnswer(msgspec.Struct):
    status: str
    data: Any = None
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


class _GofileItem(msgspec.Struct, rename="camel"):
    id: str
    type: str
    name: Name = ""
    size: Size | None = None
    md5: str | None = None
    link: MaybeAddress | None = None
    can_access: bool = True
    lock: str = msgspec.field(name="passwordStatus", default=OPEN)
    children: dict[str, "_GofileItem"] = {}


class _Guest(msgspec.Struct):
    token: str


class _GofileAccount(msgspec.Struct):
    id: str
    tier: str = ""


class Gofile(Hoster):
    id = "gofile"
    name = "Gofile"
    version = "1.0"
    domains = ["gofile.io"]
    matches = [r"https?://(?:www\.)?gofile\.io/d/(?P<folder>[\w-]+)#file=(?P<file>[\w-]+)"]
    folders = [r"https?://(?:www\.)?gofile\.io/(?:d/|\?c=)(?P<folder>[\w-]+)/?$"]
    account = api_key("gofile.io/myprofile")
    max_connections = 3
    # The salt is part of the site's JavaScript and changes with it.
    settings = {"base": "https://api.gofile.io", "salt": "9844d94d963d30"}

    async def check(self, link: Link, ctx: Context) -> Checked:
        try:
            file = await self._file(link, ctx, ctx.saved_password)
        except PasswordNeeded:
            return Checked(online=True)
        return Checked(online=True, name=file.name, size=file.size, hash=hash_of("md5", file.md5))

    async def crawl(self, link: Link, ctx: Context) -> Folder:
        async def list_files(password: str | None) -> Folder:
            return await self._all_files(link.parts["folder"], ctx, password)

        return await with_password(ctx, list_files)

    async def resolve(self, link: Link, ctx: Context) -> File:
        async def find(password: str | None) -> _GofileItem:
            return await self._file(link, ctx, password)

        file = await with_password(ctx, find)
        if not file.link:
            raise UNEXPECTED.error()
        return File(
            file.link,
            cookies={COOKIE: await self._token(ctx)},
            name=file.name,
            size=file.size,
            hash=hash_of("md5", file.md5),
        )

    async def check_account(self, ctx: Context) -> AccountState:
        known = converted((await self._call("/accounts/getid", ctx)).data, _GofileAccount)
        account = converted((await self._call(f"/accounts/{known.id}", ctx)).data, _GofileAccount)
        return AccountState(valid=True, premium=account.tier not in ("", "guest", "standard"))

    async def _file(self, link: Link, ctx: Context, password: str | None) -> _GofileItem:
        """Return the file, which is only available through its folder."""
        folder = await self._folder(link.parts["folder"], ctx, password)
        for child in folder.children.values():
            if child.id == link.parts["file"]:
                return child
        raise Offline

    async def _all_files(self, code: str, ctx: Context, password: str | None) -> Folder:
        files: list[FileLink] = []
        names: list[str] = []

        async def list_folder(place: str) -> list[str]:
            folder = await self._folder(place, ctx, password)
            names.append(folder.name)
            children = folder.children.values()
            files.extend(_link(place, child) for child in children if child.type == "file")
            return [child.id for child in children if child.type == "folder"]

        await walk(code, list_folder)
        return folder_of(files, names[0])

    async def _folder(self, code: str, ctx: Context, password: str | None) -> _GofileItem:
        """Return the folder with the children of all pages."""
        children: dict[str, _GofileItem] = {}
        for number in range(1, MOST_PAGES + 1):
            query = {"page": str(number), "pageSize": "1000", "sortField": "name"}
            if password:
                query["password"] = hashlib.sha256(password.encode()).hexdigest()
            answer = await self._call(f"/contents/{code}", ctx, query)
            item = converted(answer.data, _GofileItem)
            if item.lock != OPEN:
                raise PASSWORD_PROTECTED.error()
            if not item.can_access:
                raise PREMIUM_ONLY.error()
            children.update(item.children)
            if not answer.metadata.has_next_page or not item.children:
                break
        item.children = children
        return item

    async def _call(
        self, path: str, ctx: Context, query: dict[str, str] | None = None
    ) -> _GofileAnswer:
        answer = await self._ask(path, ctx, await self._token(ctx), query or {})
        if answer.status in EXPIRED and ctx.account is None:
            answer = await self._ask(path, ctx, await self._new_guest(ctx), query or {})
        if answer.status != "ok":
            raise error_of_code(ERRORS, answer.status)
        return answer

    async def _ask(
        self, path: str, ctx: Context, token: str, query: dict[str, str]
    ) -> _GofileAnswer:
        slot = int(time.time()) // SLOT_SECONDS
        proof = f"{AGENT}::{LANGUAGE}::{token}::{slot}::{self.settings['salt']}"
        headers = {
            "Authorization": f"Bearer {token}",
            "X-Website-Token": hashlib.sha256(proof.encode()).hexdigest(),
            "X-BL": LANGUAGE,
            "User-Agent": AGENT,
        }
        page = await ctx.http.get(self.settings["base"] + path, headers=headers, query=query)
        return parsed(page, _GofileAnswer)

    async def _token(self, ctx: Context) -> str:
        if ctx.account:
            return secret_of(ctx)
        cookies = await ctx.http.cookies(self.settings["base"])
        return cookies.get(COOKIE) or await self._new_guest(ctx)

    async def _new_guest(self, ctx: Context) -> str:
        page = await ctx.http.post(f"{self.settings['base']}/accounts", json={})
        answer = parsed(page, _GofileAnswer)
        if answer.status != "ok":
            raise error_of_code(ERRORS, answer.status)
        token = converted(answer.data, _Guest).token
        await ctx.http.set_cookie(self.settings["base"], COOKIE, token)
        return token


def _link(folder: str, file: _GofileItem) -> FileLink:
    address = f"https://gofile.io/d/{folder}#file={file.id}"
    return FileLink(address, file.name, file.size, hash_of("md5", file.md5))
