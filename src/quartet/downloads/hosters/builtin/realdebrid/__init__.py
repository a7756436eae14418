"""real-debrid.com: fetches files of many other hosters for premium accounts."""

from datetime import datetime
from typing import Any

from quartet.downloads.hosters.sdk import (
    AccountForm,
    AccountProblem,
    AccountState,
    Context,
    Fatal,
    File,
    Hoster,
    HosterLimit,
    Link,
    Offline,
    Page,
    Temporary,
    Text,
    Unsupported,
)

BAD_TOKEN = Text(de="Das API-Token gilt nicht.", en="The API token is not valid.")
LOCKED = Text(de="Das Konto ist gesperrt.", en="The account is locked.")
SLOWER = Text(de="Zu viele Anfragen.", en="Too many requests.")
USED_UP = Text(
    de="Das Kontingent für diesen Hoster ist aufgebraucht.",
    en="The allowance for this hoster is used up.",
)
AWAY = Text(
    de="Der Hoster ist dort gerade nicht erreichbar.",
    en="The hoster cannot be reached there at the moment.",
)

# Error codes of its API.
GONE = (7, 24, 35)
SLOW_DOWN = (5, 34)
NOTHING_LEFT = (18, 23, 36)
PASSING = (-1, 6, 17, 19, 21, 25)
OF_ACCOUNT = {8: BAD_TOKEN, 9: BAD_TOKEN, 12: BAD_TOKEN, 13: BAD_TOKEN, 14: LOCKED, 22: LOCKED}
WITHOUT_TEXT = (10, 11, 15)
NOT_FOR_IT = (16, 20)


class RealDebrid(Hoster):
    id = "realdebrid"
    name = "Real-Debrid"
    version = "1.0"
    multi = True
    account_required = True
    account = AccountForm(
        secret_label=Text(de="API-Token", en="API token"),
        help=Text(
            de="Zu finden auf real-debrid.com/apitoken.",
            en="To be found at real-debrid.com/apitoken.",
        ),
    )
    domains = ["real-debrid.com"]
    matches = [r"https?://(?:www\.)?real-debrid\.com/d/\w+"]
    settings = {"base": "https://api.real-debrid.com/rest/1.0"}

    async def supported(self, ctx: Context) -> list[str]:
        status = await self._call("GET", "/hosts/status", ctx)
        return [domain for domain, state in status.items() if state.get("supported")]

    async def resolve(self, link: Link, ctx: Context) -> File:
        form = {"link": link.url}
        if ctx.saved_password:
            form["password"] = ctx.saved_password
        found = await self._call("POST", "/unrestrict/link", ctx, form)
        return File(
            found["download"],
            name=found.get("filename"),
            size=found.get("filesize") or None,
            max_connections=found.get("chunks") or None,
        )

    async def check_account(self, ctx: Context) -> AccountState:
        user = await self._call("GET", "/user", ctx)
        until = user.get("expiration")
        return AccountState(
            valid=True,
            premium=user.get("type") == "premium",
            valid_until=datetime.fromisoformat(until).timestamp() if until else None,
        )

    async def _call(
        self, method: str, path: str, ctx: Context, form: dict[str, str] | None = None
    ) -> dict[str, Any]:
        token = ctx.account.secret if ctx.account else ""
        headers = {"Authorization": f"Bearer {token}"}
        address = self.settings["base"] + path
        if form is None:
            page = await ctx.http.request(method, address, headers=headers)
        else:
            page = await ctx.http.request(method, address, headers=headers, form=form)
        return _told(page)


def _told(page: Page) -> dict[str, Any]:
    answer = page.json()
    if page.ok and isinstance(answer, dict):
        return answer
    code = answer.get("error_code") if isinstance(answer, dict) else None
    if page.status == 429 or code in SLOW_DOWN:
        raise HosterLimit(SLOWER, seconds=60)
    if page.status == 401 or code in OF_ACCOUNT or code in WITHOUT_TEXT:
        raise AccountProblem(OF_ACCOUNT.get(code or 8))
    if code in GONE:
        raise Offline
    if code in NOTHING_LEFT:
        raise HosterLimit(USED_UP, seconds=1800)
    if code in NOT_FOR_IT:
        raise Unsupported
    if code in PASSING or (code is None and page.status >= 500):
        raise Temporary(AWAY)
    raise Fatal
