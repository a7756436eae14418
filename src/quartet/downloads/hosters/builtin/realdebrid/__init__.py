"""real-debrid.com: fetches files of many other hosters for premium accounts."""

from typing import TypeVar

import msgspec

from quartet.downloads.hosters.builtin._answers import (
    AWAY,
    BAD_KEY,
    GONE,
    LOCKED,
    NOT_FOR_IT,
    SLOWER,
    USED_UP,
    Refusal,
    answered,
    api_key,
    call,
    connections,
    moment,
    refused,
    shaped,
)
from quartet.downloads.hosters.sdk import AccountState, Context, Fatal, File, Hoster, Link, Page
from quartet.downloads.hosters.shapes import Address, Name, Size

T = TypeVar("T")

REFUSALS = {
    **dict.fromkeys(("7", "24", "35"), GONE),
    **dict.fromkeys(("5", "34"), SLOWER),
    **dict.fromkeys(("18", "23", "36"), USED_UP),
    **dict.fromkeys(("-1", "6", "17", "19", "21", "25"), AWAY),
    **dict.fromkeys(("8", "9", "10", "11", "12", "13"), BAD_KEY),
    **dict.fromkeys(("14", "15", "22"), LOCKED),
    **dict.fromkeys(("16", "20"), NOT_FOR_IT),
    **dict.fromkeys(("1", "2", "3", "4", "29", "30", "37"), Refusal(Fatal)),
}


class _Error(msgspec.Struct):
    error: str = ""
    error_code: int | None = None


class _Host(msgspec.Struct):
    supported: int = 0


class _Found(msgspec.Struct):
    download: Address
    filename: Name | None = None
    filesize: Size = 0
    chunks: int | None = None


class _User(msgspec.Struct):
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
        hosts = await self._call("/hosts/status", ctx, dict[str, _Host])
        return [domain for domain, host in hosts.items() if host.supported]

    async def resolve(self, link: Link, ctx: Context) -> File:
        form = {"link": link.url}
        if ctx.saved_password:
            form["password"] = ctx.saved_password
        found = await self._call("/unrestrict/link", ctx, _Found, form)
        return File(
            found.download,
            name=found.filename,
            # 0 when it does not know.
            size=found.filesize or None,
            max_connections=connections(found.chunks),
        )

    async def check_account(self, ctx: Context) -> AccountState:
        user = await self._call("/user", ctx, _User)
        premium = user.type == "premium"
        return AccountState(valid=True, premium=premium, valid_until=moment(user.expiration))

    async def _call(
        self, path: str, ctx: Context, kind: type[T], form: dict[str, str] | None = None
    ) -> T:
        page = await call(ctx, self.settings["base"] + path, form=form)
        if page.ok:
            return shaped(page.json(), kind)
        raise _refused(page)


def _refused(page: Page) -> Exception:
    said = answered(page, _Error)
    if said.error_code is None:
        return (BAD_KEY if page.status == 401 else AWAY).error()
    return refused(REFUSALS, str(said.error_code), said.error)
