"""pixeldrain.com: files and lists of files."""

from base64 import b64encode
from typing import Any

from quartet.downloads.hosters.builtin._responses import BAD_KEY
from quartet.downloads.hosters.sdk import (
    AccountForm,
    AccountState,
    Checked,
    Context,
    Fatal,
    File,
    FileLink,
    Folder,
    Hash,
    Hoster,
    HosterLimit,
    Link,
    Offline,
    Page,
    Temporary,
    Text,
)

LIMITED = Text(
    de="Das freie Kontingent ist aufgebraucht; mit einem Konto geht es weiter.",
    en="The free allowance is used up; with an account it goes on.",
)
HIDDEN = Text(de="Die Datei ist gesperrt.", en="The file is blocked.")


class Pixeldrain(Hoster):
    id = "pixeldrain"
    name = "Pixeldrain"
    version = "1.0"
    domains = ["pixeldrain.com", "pixeldra.in"]
    matches = [r"https?://(?:www\.)?pixeldra(?:in\.com|\.in)/(?:u|api/file)/(?P<id>\w{4,40})"]
    folders = [r"https?://(?:www\.)?pixeldra(?:in\.com|\.in)/l/(?P<id>\w{4,40})"]
    account = AccountForm(
        secret_label=Text(de="API-Schlüssel", en="API key"),
        help=Text(
            de="Zu finden auf pixeldrain.com unter Konto, API-Schlüssel.",
            en="To be found at pixeldrain.com under account, API keys.",
        ),
    )
    settings = {"base": "https://pixeldrain.com"}

    async def check(self, link: Link, ctx: Context) -> Checked:
        info = await self._info(link, ctx)
        return Checked(online=True, name=info["name"], size=info["size"], hash=_hash(info))

    async def crawl(self, link: Link, ctx: Context) -> Folder:
        listed = _parsed(await ctx.http.get(f"{self.settings['base']}/api/list/{link.parts['id']}"))
        files = [
            FileLink(f"https://pixeldrain.com/u/{each['id']}", each["name"], each["size"])
            for each in listed["files"]
        ]
        return Folder(files, listed.get("title"))

    async def resolve(self, link: Link, ctx: Context) -> File:
        info = await self._info(link, ctx)
        availability = info.get("availability") or ""
        if availability.endswith("captcha_required") and ctx.account is None:
            raise HosterLimit(LIMITED, seconds=3600)
        if availability:
            raise Fatal(HIDDEN)
        return File(
            f"{self.settings['base']}/api/file/{link.parts['id']}?download",
            headers=_login(ctx),
            name=info["name"],
            size=info["size"],
            hash=_hash(info),
        )

    async def check_account(self, ctx: Context) -> AccountState:
        page = await ctx.http.get(f"{self.settings['base']}/api/user", headers=_login(ctx))
        user = _parsed(page)
        plan = user.get("subscription") or {}
        return AccountState(valid=True, premium=plan.get("type", "") not in ("", "free"))

    async def _info(self, link: Link, ctx: Context) -> dict[str, Any]:
        address = f"{self.settings['base']}/api/file/{link.parts['id']}/info"
        return _parsed(await ctx.http.get(address, headers=_login(ctx)))


def _login(ctx: Context) -> dict[str, str]:
    if ctx.account is None:
        return {}
    return {"Authorization": "Basic " + b64encode(f":{ctx.account.secret}".encode()).decode()}


def _hash(info: dict[str, Any]) -> Hash | None:
    value = info.get("hash_sha256")
    return Hash("sha256", value) if value else None


def _parsed(page: Page) -> dict[str, Any]:
    """Return the decoded response; errors have a stable `value` besides the message."""
    answer = page.json()
    if page.ok and isinstance(answer, dict):
        return answer
    value = answer.get("value") if isinstance(answer, dict) else None
    if page.status in (404, 410) or value == "not_found":
        raise Offline
    if page.status == 401 or value in ("authentication_required", "authentication_failed"):
        raise BAD_KEY.error()
    if page.status == 429:
        raise HosterLimit(LIMITED, seconds=600)
    raise Temporary
