"""real-debrid.com: a multi-hoster for premium accounts."""

from typing import TypeVar

import msgspec

from quartet.downloads.hosters.builtin._responses import (
    BAD_KEY,
    FILE_GONE,
    LOCKED,
    NOT_SUPPORTED,
    RATE_LIMITED,
    TRAFFIC_USED_UP,
    UNAVAILABLE,
    KnownError,
    api_key,
    call,
    connections,
    converted,
    error_of_code,
    parsed,
    timestamp_of,
)
from quartet.downloads.hosters.plugin_types import Address, Name, Size
from quartet.downloads.hosters.sdk import AccountState, Context, Fatal, File, Hoster, Link, Page

T = TypeVar("T")

ERRORS = {
    **dict.fromkeys(("7", "24", "35"), FILE_GONE),
    **dict.fromkeys(("5", "34"), RATE_LIMITED),
    **dict.fromkeys(("18", "23", "36"), TRAFFIC_USED_UP),
    **dict.fromkeys(("-1", "6", "17", "19", "21", "25"), UNAVAILABLE),
    **dict.fromkeys(("8", "9", "10", "11", "12", "13"), BAD_KEY),
    **dict.fromkeys(("14", "15", "22"), LOCKED),
    **dict.fromkeys(("16", "20"), NOT_SUPPORTED),
    **dict.fromkeys(("1", "2", "3", "4", "29", "30", "37"), KnownError(Fatal)),
}


class _RealDebridError(msgspec.Struct):
    error: str = ""
    error_code: int | None = None


class _RealDebridHost(msgspec.Struct):
    supported: int = 0


class _RealDebridFound(msgspec.Struct):
    download: Address
    filename: Name | None = None
    filesize: Size = 0
    chunks: int | None = None


class _RealDebridUser(msgspec.Struct):
    type: str = ""
    expiration: str | None = None


class RealDebrid(Hoster):
    id = "realdebrid"
    name = "Real-Debrid"
    version = "1.1"
    multi = True
    account_required = True
    account = api_key("real-debrid.com/apitoken")
    domains = ["real-debrid.com"]
    matches = [r"https?://(?:www\.)?real-debrid\.com/d/\w+"]
    settings = {"base": "https://api.real-debrid.com/rest/1.0"}

    async def supported(self, ctx: Context) -> list[str]:
        hosts = await self._call("/hosts/status", ctx, dict[str, _RealDebridHost])
        return [domain for domain, host in hosts.items() if host.supported]

    async def resolve(self, link: Link, ctx: Context) -> File:
        form = {"link": link.url}
        if ctx.saved_password:
            form["password"] = ctx.saved_password
        found = await self._call("/unrestrict/link", ctx, _RealDebridFound, form)
        return File(
            found.download,
            name=found.filename,
            # 0 means unknown.
            size=found.filesize or None,
            max_connections=connections(found.chunks),
        )

    async def check_account(self, ctx: Context) -> AccountState:
        user = await self._call("/user", ctx, _RealDebridUser)
        premium = user.type == "premium"
        return AccountState(valid=True, premium=premium, valid_until=timestamp_of(user.expiration))

    async def _call(
        self, path: str, ctx: Context, kind: type[T], form: dict[str, str] | None = None
    ) -> T:
        page = await call(ctx, self.settings["base"] + path, form=form)
        if page.ok:
            return converted(page.json(), kind)
        raise _plugin_error(page)


def _plugin_error(page: Page) -> Exception:
    said = parsed(page, _RealDebridError)
    if said.error_code is None:
        return (BAD_KEY if page.status == 401 else UNAVAILABLE).error()
    return error_of_code(ERRORS, str(said.error_code), said.error)
