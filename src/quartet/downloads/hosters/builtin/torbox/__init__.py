"""torbox.app: fetches files of other hosters to its own servers first, then hands them out."""

from typing import Any

import msgspec

from quartet.downloads.hosters.builtin._answers import (
    AWAY,
    BAD_KEY,
    GONE,
    NOT_FOR_IT,
    NOT_PREMIUM,
    SLOWER,
    USED_UP,
    Refusal,
    answered,
    api_key,
    call,
    moment,
    refused,
    secret_of,
    shaped,
)
from quartet.downloads.hosters.sdk import (
    AccountState,
    Context,
    Fatal,
    File,
    Hoster,
    Link,
    Temporary,
    Text,
)
from quartet.downloads.hosters.shapes import Address, Name, Size

POLL_SECONDS = 5.0
READY = ("completed", "cached", "uploading")
TOO_LARGE = Refusal(
    Fatal,
    Text(
        de="Die Datei ist zu groß für dieses Konto.",
        en="The file is too large for this account.",
    ),
)
FAILED = Refusal(
    Temporary,
    Text(de="TorBox konnte die Datei nicht holen.", en="TorBox could not fetch the file."),
)
REFUSALS = {
    "NO_AUTH": BAD_KEY,
    "BAD_TOKEN": BAD_KEY,
    "AUTH_ERROR": BAD_KEY,
    "PLAN_RESTRICTED_FEATURE": NOT_PREMIUM,
    "DOWNLOAD_LIMIT_REACHED": USED_UP,
    "MONTHLY_LIMIT": USED_UP,
    "COOLDOWN_LIMIT": SLOWER,
    "ACTIVE_LIMIT": SLOWER,
    "slow_down": SLOWER,
    "DOWNLOAD_TOO_LARGE": TOO_LARGE,
    "DOWNLOAD_SERVER_ERROR": AWAY,
    "DATABASE_ERROR": AWAY,
    "UNKNOWN_ERROR": AWAY,
    "UNSUPPORTED_SITE": NOT_FOR_IT,
    "LINK_OFFLINE": GONE,
    "ITEM_NOT_FOUND": AWAY,
}


class _Answer(msgspec.Struct):
    success: bool
    error: str | None = None
    detail: Any = None
    data: Any = None


class _User(msgspec.Struct):
    plan: int
    premium_expires_at: str | None = None


class _Host(msgspec.Struct):
    domains: list[str] = []
    status: bool = True


class _Created(msgspec.Struct):
    webdownload_id: int


class _File(msgspec.Struct):
    id: int
    short_name: Name | None = None
    size: Size = 0


class _Download(msgspec.Struct):
    id: int
    download_state: str = ""
    original_url: str | None = None
    files: list[_File] | None = None

    @property
    def failed(self) -> bool:
        return self.download_state.startswith(("failed", "error"))


class _Ready(msgspec.Struct):
    url: Address


class TorBox(Hoster):
    id = "torbox"
    name = "TorBox"
    version = "1.0"
    multi = True
    account_required = True
    account = api_key("torbox.app/settings")
    settings = {"base": "https://api.torbox.app/v1/api"}

    async def supported(self, ctx: Context) -> list[str]:
        hosts = shaped(await self._call("/webdl/hosters", ctx), list[_Host])
        return [domain for host in hosts if host.status for domain in host.domains]

    async def resolve(self, link: Link, ctx: Context) -> File:
        id = await self._known(link, ctx) or await self._create(link, ctx)
        file = max(await self._files(id, ctx), key=lambda each: each.size)
        query = {"token": secret_of(ctx), "web_id": str(id), "file_id": str(file.id)}
        ready = shaped({"url": await self._call("/webdl/requestdl", ctx, query)}, _Ready)
        return File(ready.url, name=file.short_name, size=file.size or None)

    async def check_account(self, ctx: Context) -> AccountState:
        user = shaped(await self._call("/user/me", ctx), _User)
        until = moment(user.premium_expires_at)
        return AccountState(valid=True, premium=user.plan > 0, valid_until=until)

    async def _known(self, link: Link, ctx: Context) -> int | None:
        """A link that took too long is in its list already when it is tried again."""
        listed = shaped(await self._call("/webdl/mylist", ctx) or [], list[_Download])
        mine = (each for each in listed if each.original_url == link.url)
        return next((each.id for each in mine if not each.failed), None)

    async def _create(self, link: Link, ctx: Context) -> int:
        form = {"link": link.url}
        if ctx.saved_password:
            form["password"] = ctx.saved_password
        created = await self._call("/webdl/createwebdownload", ctx, form=form)
        return shaped(created, _Created).webdownload_id

    async def _files(self, id: int, ctx: Context) -> list[_File]:
        query = {"id": str(id), "bypass_cache": "true"}
        while True:
            found = shaped(await self._call("/webdl/mylist", ctx, query), _Download)
            if found.files and found.download_state in READY:
                return found.files
            if found.failed:
                raise FAILED.error()
            await ctx.wait(POLL_SECONDS)

    async def _call(
        self,
        path: str,
        ctx: Context,
        query: dict[str, str] | None = None,
        form: dict[str, str] | None = None,
    ) -> Any:
        page = await call(ctx, self.settings["base"] + path, query=query, form=form)
        answer = answered(page, _Answer)
        if not answer.success:
            detail = answer.detail if isinstance(answer.detail, str) else ""
            raise refused(REFUSALS, answer.error or detail, detail)
        return answer.data
