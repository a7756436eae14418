"""debrid-link.com: a multi-hoster for premium accounts."""

import time
from typing import Annotated, Any, TypeVar

import msgspec

from quartet.downloads.hosters.builtin._responses import (
    BAD_KEY,
    FILE_GONE,
    LOCKED,
    NOT_PREMIUM,
    NOT_SUPPORTED,
    PASSWORD_PROTECTED,
    RATE_LIMITED,
    TRAFFIC_USED_UP,
    UNAVAILABLE,
    api_key,
    call,
    connections,
    converted,
    error_of_code,
    parsed,
    with_password,
)
from quartet.downloads.hosters.plugin_types import Address, Name, Size
from quartet.downloads.hosters.sdk import AccountState, Context, File, Hoster, Link

T = TypeVar("T")

ERRORS = {
    "badToken": BAD_KEY,
    "expired_token": BAD_KEY,
    "accountLocked": LOCKED,
    "serverNotAllowed": LOCKED,
    "fileNotFound": FILE_GONE,
    "badFileUrl": FILE_GONE,
    "badFilePassword": PASSWORD_PROTECTED,
    "notDebrid": NOT_SUPPORTED,
    "hostNotValid": NOT_SUPPORTED,
    "notFreeHost": NOT_PREMIUM,
    "disabledHost": NOT_SUPPORTED,
    "fileNotAvailable": UNAVAILABLE,
    "maintenanceHost": UNAVAILABLE,
    "noServerHost": UNAVAILABLE,
    "disabledServerHost": UNAVAILABLE,
    "freeServerOverload": UNAVAILABLE,
    "floodDetected": RATE_LIMITED,
    "maxLink": TRAFFIC_USED_UP,
    "maxLinkHost": TRAFFIC_USED_UP,
    "maxData": TRAFFIC_USED_UP,
    "maxDataHost": TRAFFIC_USED_UP,
}


class _DebridLinkAnswer(msgspec.Struct):
    success: bool
    value: Any = None
    error: str = ""


class _DebridLinkAccount(msgspec.Struct, rename="camel"):
    # In seconds.
    premium_left: Annotated[float, msgspec.Meta(ge=0, le=2**39)]


class _Added(msgspec.Struct, rename="camel"):
    download_url: Address
    name: Name | None = None
    size: Size | None = None
    chunk: int | None = None


class DebridLink(Hoster):
    id = "debridlink"
    name = "Debrid-Link"
    version = "1.0"
    multi = True
    account_required = True
    account = api_key("debrid-link.com/webapp/apikey")
    settings = {"base": "https://debrid-link.com/api/v2"}

    async def supported(self, ctx: Context) -> list[str]:
        return await self._call("/downloader/hostnames", ctx, list[str])

    async def resolve(self, link: Link, ctx: Context) -> File:
        async def add(password: str | None) -> _Added:
            secret = {"password": password} if password else {}
            return await self._call("/downloader/add", ctx, _Added, url=link.url, **secret)

        found = await with_password(ctx, add)
        return File(
            found.download_url,
            name=found.name,
            size=found.size or None,
            max_connections=connections(found.chunk),
        )

    async def check_account(self, ctx: Context) -> AccountState:
        left = (await self._call("/account/infos", ctx, _DebridLinkAccount)).premium_left
        until = time.time() + left if left else None
        return AccountState(valid=True, premium=left > 0, valid_until=until)

    async def _call(self, path: str, ctx: Context, kind: type[T], **form: str) -> T:
        page = await call(ctx, self.settings["base"] + path, form=form or None)
        answer = parsed(page, _DebridLinkAnswer)
        if not answer.success:
            raise error_of_code(ERRORS, answer.error)
        return converted(answer.value, kind)
