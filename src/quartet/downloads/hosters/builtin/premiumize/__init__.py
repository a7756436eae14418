"""premiumize.me: a multi-hoster with its own cloud storage."""

from typing import Any, TypeVar

import msgspec

from quartet.downloads.hosters.builtin._responses import (
    BAD_KEY,
    FILE_GONE,
    NOT_PREMIUM,
    NOT_SUPPORTED,
    RATE_LIMITED,
    TRAFFIC_USED_UP,
    UNAVAILABLE,
    UNEXPECTED,
    KnownError,
    Timestamp,
    api_key,
    converted,
    error_of_message,
    parsed,
    secret_of,
)
from quartet.downloads.hosters.plugin_types import Address, Name, Size
from quartet.downloads.hosters.sdk import (
    AccountState,
    Context,
    File,
    Hoster,
    Link,
    Text,
)

T = TypeVar("T")

# Keywords in its error messages and codes.
ERRORS: dict[str, KnownError] = {
    "slow_down": RATE_LIMITED,
    "rate_limit_reached": RATE_LIMITED,
    "account_limit_reached": TRAFFIC_USED_UP,
    "service_limit_reached": TRAFFIC_USED_UP,
    "fair use": TRAFFIC_USED_UP,
    "service_down": UNAVAILABLE,
    "semi_permanent_error": UNAVAILABLE,
    "not logged in": BAD_KEY,
    "authenticat": BAD_KEY,
    "api key": BAD_KEY,
    "apikey": BAD_KEY,
    # Not "premium" alone, which is part of the service's name.
    "not premium": NOT_PREMIUM,
    "be premium": NOT_PREMIUM,
    "premium account": NOT_PREMIUM,
    "premium membership": NOT_PREMIUM,
    "unsupported": NOT_SUPPORTED,
    "not supported": NOT_SUPPORTED,
    "not found": FILE_GONE,
    "content_not_found": FILE_GONE,
    "dead link": FILE_GONE,
}


class _PremiumizeAnswer(msgspec.Struct):
    status: str
    message: str = ""
    code: str = ""


class _PremiumizeAccount(msgspec.Struct):
    premium_until: Timestamp | bool | None
    limit_used: float = 0.0


class _Services(msgspec.Struct):
    directdl: list[str]
    aliases: dict[str, list[str]] = {}


class _PremiumizeContent(msgspec.Struct):
    path: Name
    link: Address
    size: Size = 0


class _PremiumizeDirect(msgspec.Struct):
    content: list[_PremiumizeContent]


class _PremiumizeItem(msgspec.Struct):
    name: Name
    link: Address
    size: Size = 0


class Premiumize(Hoster):
    id = "premiumize"
    name = "Premiumize"
    version = "1.0"
    multi = True
    account_required = True
    account = api_key("premiumize.me/account")
    domains = ["premiumize.me"]
    matches = [r"https?://(?:www\.)?premiumize\.me/file\?id=(?P<id>[\w-]+)"]
    settings = {"base": "https://www.premiumize.me/api"}

    async def supported(self, ctx: Context) -> list[str]:
        known = await self._call("GET", "/services/list", ctx, _Services)
        aliases = (alias for main in known.directdl for alias in known.aliases.get(main, []))
        return [*known.directdl, *aliases]

    async def resolve(self, link: Link, ctx: Context) -> File:
        if id := link.parts.get("id"):
            item = await self._call("GET", "/item/details", ctx, _PremiumizeItem, id=id)
            return File(item.link, name=item.name, size=item.size or None)
        found = await self._call("POST", "/transfer/directdl", ctx, _PremiumizeDirect, src=link.url)
        if not found.content:
            raise UNEXPECTED.error()
        # A hoster's link is one file; other entries are smaller extras.
        file = max(found.content, key=lambda each: each.size)
        return File(file.link, name=file.path.rpartition("/")[2], size=file.size or None)

    async def check_account(self, ctx: Context) -> AccountState:
        account = await self._call("GET", "/account/info", ctx, _PremiumizeAccount)
        until = account.premium_until
        used = round(100 * account.limit_used) if 0 <= account.limit_used <= 1 else 100
        return AccountState(
            valid=True,
            premium=bool(until),
            valid_until=until if isinstance(until, float) and until else None,
            text=Text(de=f"{used} % von Fair Use verbraucht", en=f"{used} % of fair use spent"),
        )

    async def _call(self, method: str, path: str, ctx: Context, kind: type[T], **given: str) -> T:
        options: Any = {"form": given} if method == "POST" else {"query": given}
        options["query"] = {**options.get("query", {}), "apikey": secret_of(ctx)}
        page = await ctx.http.request(method, self.settings["base"] + path, **options)
        answer = parsed(page, _PremiumizeAnswer)
        if answer.status != "success":
            raise error_of_message(ERRORS, f"{answer.code} {answer.message}".strip())
        return converted(page.json(), kind)
