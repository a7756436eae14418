"""torbox.app: a multi-hoster that fetches files to its own servers first."""

from typing import Any

import msgspec

from quartet.downloads.hosters.builtin._responses import (
    BAD_KEY,
    FILE_GONE,
    NOT_PREMIUM,
    NOT_SUPPORTED,
    RATE_LIMITED,
    TRAFFIC_USED_UP,
    UNAVAILABLE,
    KnownError,
    api_key,
    call,
    converted,
    error_of_code,
    parsed,
    secret_of,
    timestamp_of,
)
from quartet.downloads.hosters.plugin_types import Address, Name, Size
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

POLL_SECONDS = 5.0
READY = ("completed", "cached", "uploading")
TOO_LARGE = KnownError(
    Fatal,
    Text(
        de="Die Datei ist zu groß für dieses Konto.",
        en="The file is too large for this account.",
    ),
)
FAILED = KnownError(
    Temporary,
    Text(de="TorBox konnte die Datei nicht holen.", en="TorBox could not fetch the file."),
)
ERRORS = {
    "NO_AUTH": BAD_KEY,
    "BAD_TOKEN": BAD_KEY,
    "AUTH_ERROR": BAD_KEY,
    "PLAN_RESTRICTED_FEATURE": NOT_PREMIUM,
    "DOWNLOAD_LIMIT_REACHED": TRAFFIC_USED_UP,
    "MONTHLY_LIMIT": TRAFFIC_USED_UP,
    "COOLDOWN_LIMIT": RATE_LIMITED,
    "ACTIVE_LIMIT": RATE_LIMITED,
    "slow_down": RATE_LIMITED,
    "DOWNLOAD_TOO_LARGE": TOO_LARGE,
    "DOWNLOAD_SERVER_ERROR": UNAVAILABLE,
    "DATABASE_ERROR": UNAVAILABLE,
    "UNKNOWN_ERROR": UNAVAILABLE,
    "UNSUPPORTED_SITE": NOT_SUPPORTED,
    "LINK_OFFLINE": FILE_GONE,
    "ITEM_NOT_FOUND": UNAVAILABLE,
}


class _TorBoxAnswer(msgspec.Struct):
    success: bool
    error: str | None = None
    detail: Any = None
    data: Any = None


class _TorBoxUser(msgspec.Struct):
    plan: int
    premium_expires_at: str | None = None


class _TorBoxHost(msgspec.Struct):
    domains: list[str] = []
    status: bool = True


class _Created(msgspec.Struct):
    webdownload_id: int


class _TorBoxFile(msgspec.Struct):
    id: int
    short_name: Name | None = None
    size: Size = 0


class _TorBoxDownload(msgspec.Struct):
    id: int
    download_state: str = ""
    original_url: str | None = None
    files: list[_TorBoxFile] | None = None

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
        hosts = converted(await self._call("/webdl/hosters", ctx), list[_TorBoxHost])
        return [domain for host in hosts if host.status for domain in host.domains]

    async def resolve(self, link: Link, ctx: Context) -> File:
        id = await self._known(link, ctx) or await self._create(link, ctx)
        file = max(await self._files(id, ctx), key=lambda each: each.size)
        query = {"token": secret_of(ctx), "web_id": str(id), "file_id": str(file.id)}
        ready = converted({"url": await self._call("/webdl/requestdl", ctx, query)}, _Ready)
        return File(ready.url, name=file.short_name, size=file.size or None)

    async def check_account(self, ctx: Context) -> AccountState:
        user = converted(await self._call("/user/me", ctx), _TorBoxUser)
        until = timestamp_of(user.premium_expires_at)
        return AccountState(valid=True, premium=user.plan > 0, valid_until=until)

    async def _known(self, link: Link, ctx: Context) -> int | None:
        """Return the id of an earlier request for this link, if it has not failed."""
        listed = converted(await self._call("/webdl/mylist", ctx) or [], list[_TorBoxDownload])
        mine = (each for each in listed if each.original_url == link.url)
        return next((each.id for each in mine if not each.failed), None)

    async def _create(self, link: Link, ctx: Context) -> int:
        form = {"link": link.url}
        if ctx.saved_password:
            form["password"] = ctx.saved_password
        created = await self._call("/webdl/createwebdownload", ctx, form=form)
        return converted(created, _Created).webdownload_id

    async def _files(self, id: int, ctx: Context) -> list[_TorBoxFile]:
        query = {"id": str(id), "bypass_cache": "true"}
        while True:
            found = converted(await self._call("/webdl/mylist", ctx, query), _TorBoxDownload)
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
        answer = parsed(page, _TorBoxAnswer)
        if not answer.success:
            detail = answer.detail if isinstance(answer.detail, str) else ""
            raise error_of_code(ERRORS, answer.error or detail, detail)
        return answer.data
