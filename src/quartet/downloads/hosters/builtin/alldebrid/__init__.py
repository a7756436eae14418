"""alldebrid.com: a multi-hoster for premium accounts."""

import re
from typing import Any, TypeVar

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
    UNEXPECTED,
    KnownError,
    MaybeAddress,
    Timestamp,
    api_key,
    call,
    connections,
    converted,
    error_of_code,
    parsed,
    with_password,
)
from quartet.downloads.hosters.plugin_types import Name, Size
from quartet.downloads.hosters.sdk import (
    AccountState,
    Context,
    Fatal,
    File,
    Hoster,
    Link,
    Text,
)

T = TypeVar("T")

AGENT = "quartet"
POLL_SECONDS = 5.0
READY, BROKEN = 2, 3

NO_SERVER = KnownError(
    Fatal,
    Text(
        de="AllDebrid lässt Server und VPN-Adressen nicht zu.",
        en="AllDebrid does not allow addresses of servers and VPNs.",
    ),
)
ERRORS = {
    "AUTH_MISSING_APIKEY": BAD_KEY,
    "AUTH_BAD_APIKEY": BAD_KEY,
    "AUTH_BLOCKED": LOCKED,
    "AUTH_USER_BANNED": LOCKED,
    "MUST_BE_PREMIUM": NOT_PREMIUM,
    "FREE_TRIAL_LIMIT_REACHED": NOT_PREMIUM,
    "LINK_DOWN": FILE_GONE,
    "LINK_IS_MISSING": FILE_GONE,
    "LINK_HOST_NOT_SUPPORTED": NOT_SUPPORTED,
    "LINK_NOT_SUPPORTED": NOT_SUPPORTED,
    "LINK_PASS_PROTECTED": PASSWORD_PROTECTED,
    "LINK_HOST_UNAVAILABLE": UNAVAILABLE,
    "LINK_TEMPORARY_UNAVAILABLE": UNAVAILABLE,
    "LINK_ERROR": UNAVAILABLE,
    "LINK_HOST_FULL": UNAVAILABLE,
    "LINK_TOO_MANY_DOWNLOADS": RATE_LIMITED,
    "LINK_HOST_LIMIT_REACHED": TRAFFIC_USED_UP,
    "NO_SERVER": NO_SERVER,
}


class _AllDebridError(msgspec.Struct):
    code: str = ""
    message: str = ""


class _AllDebridAnswer(msgspec.Struct):
    status: str
    data: Any = None
    error: _AllDebridError = msgspec.field(default_factory=_AllDebridError)


class _AllDebridUser(msgspec.Struct, rename="camel"):
    is_premium: bool
    premium_until: Timestamp = 0.0


class _AllDebridAccount(msgspec.Struct):
    user: _AllDebridUser


class _AllDebridHost(msgspec.Struct):
    domains: list[str] = []
    status: bool = True


class _Hosts(msgspec.Struct):
    hosts: dict[str, _AllDebridHost]
    streams: dict[str, _AllDebridHost] = {}


class _Stream(msgspec.Struct):
    id: str | int
    # The number of lines, or a word.
    quality: str | float = 0
    filesize: Size | None = None


class _Unlocked(msgspec.Struct):
    """A link, or a choice of streams, or an id to poll for."""

    link: MaybeAddress | None = None
    filename: Name | None = None
    filesize: Size | None = None
    id: str | int = ""
    max_chunks: int | None = None
    streams: list[_Stream] = []
    delayed: str | int | None = None


class _Delayed(msgspec.Struct):
    status: int
    link: MaybeAddress | None = None


class AllDebrid(Hoster):
    id = "alldebrid"
    name = "AllDebrid"
    version = "1.0"
    multi = True
    account_required = True
    account = api_key("alldebrid.com/apikeys")
    domains = ["alldebrid.com", "alldebrid.fr"]
    matches = [r"https?://(?:www\.)?alldebrid\.(?:com|fr)/f/\w+"]
    settings = {"base": "https://api.alldebrid.com/v4"}

    async def supported(self, ctx: Context) -> list[str]:
        known = await self._call("/hosts", ctx, _Hosts)
        hosts = [*known.hosts.values(), *known.streams.values()]
        return [domain for host in hosts if host.status for domain in host.domains]

    async def resolve(self, link: Link, ctx: Context) -> File:
        async def unlock(password: str | None) -> _Unlocked:
            secret = {"password": password} if password else {}
            return await self._call("/link/unlock", ctx, _Unlocked, link=link.url, **secret)

        found = await with_password(ctx, unlock)
        size = found.filesize
        if not found.link and found.streams:
            stream = max(found.streams, key=_quality)
            chosen = await self._call(
                "/link/streaming", ctx, _Unlocked, id=str(found.id), stream=str(stream.id)
            )
            size = stream.filesize
        else:
            chosen = found
        address = chosen.link or await self._wait_for_link(chosen.delayed, ctx)
        return File(
            address,
            name=chosen.filename or found.filename,
            size=size or None,
            max_connections=connections(found.max_chunks),
        )

    async def check_account(self, ctx: Context) -> AccountState:
        user = (await self._call("/user", ctx, _AllDebridAccount)).user
        return AccountState(
            valid=True, premium=user.is_premium, valid_until=user.premium_until or None
        )

    async def _wait_for_link(self, ticket: str | int | None, ctx: Context) -> str:
        while ticket:
            answer = await self._call("/link/delayed", ctx, _Delayed, id=str(ticket))
            if answer.status == BROKEN:
                raise UNAVAILABLE.error()
            if answer.status == READY and answer.link:
                return answer.link
            await ctx.wait(POLL_SECONDS)
        raise UNEXPECTED.error()

    async def _call(self, path: str, ctx: Context, kind: type[T], **form: str) -> T:
        address = self.settings["base"] + path
        page = await call(ctx, address, query={"agent": AGENT}, form=form or None)
        answer = parsed(page, _AllDebridAnswer)
        if answer.status != "success":
            raise error_of_code(ERRORS, answer.error.code, answer.error.message)
        return converted(answer.data, kind)


def _quality(stream: _Stream) -> tuple[int, int]:
    lines = re.search(r"\d{1,9}", str(stream.quality))
    return int(lines.group()) if lines else 0, stream.filesize or 0
