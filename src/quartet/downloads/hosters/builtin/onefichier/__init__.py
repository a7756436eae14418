"""1fichier.com: files and shared folders, with an API key or as a guest."""

import re

import msgspec

from quartet.downloads.hosters.builtin._folders import folder_of
from quartet.downloads.hosters.builtin._pages import (
    anchors,
    forms,
    resolved_url,
    seconds_in,
    truncated,
)
from quartet.downloads.hosters.builtin._responses import (
    BAD_KEY,
    FILE_GONE,
    LOCKED,
    NOT_PREMIUM,
    PASSWORD_PROTECTED,
    PREMIUM_ONLY,
    RATE_LIMITED,
    UNAVAILABLE,
    UNEXPECTED,
    KnownError,
    MaybeAddress,
    api_key,
    converted,
    error_of_message,
    parsed,
    require_available,
    secret_of,
    timestamp_of,
    with_password,
)
from quartet.downloads.hosters.plugin_types import Address, Name, Size
from quartet.downloads.hosters.sdk import (
    AccountState,
    Checked,
    Context,
    Fatal,
    File,
    FileLink,
    Folder,
    Hoster,
    HosterLimit,
    Link,
    Offline,
    Page,
    Text,
)

DOMAINS = [
    "1fichier.com",
    "alterupload.com",
    "cjoint.net",
    "desfichiers.com",
    "dfichiers.com",
    "dl4free.com",
    "megadl.fr",
    "mesfichiers.org",
    "piecejointe.net",
    "pjointe.com",
    "tenvoi.com",
]
HOSTS = "|".join(map(re.escape, DOMAINS))

WAIT_BETWEEN = Text(
    de="Gäste müssen zwischen zwei Downloads warten.",
    en="Guests have to wait between two downloads.",
)
PRIVATE = Text(
    de="Die Datei ist nicht für alle freigegeben.",
    en="The file is not shared with everybody.",
)
# Keywords in the API's messages.
ERRORS: dict[str, KnownError] = {
    "not found": FILE_GONE,
    "owner locked": FILE_GONE,
    "not allowed": KnownError(Fatal, PRIVATE),
    "not authenticated": BAD_KEY,
    "no such user": BAD_KEY,
    "bad api": BAD_KEY,
    "must be a customer": NOT_PREMIUM,
    "password": PASSWORD_PROTECTED,
    "flood": RATE_LIMITED,
    "too many": RATE_LIMITED,
    "locked": LOCKED,
    "maintenance": UNAVAILABLE,
}
FREE_OFFERS = ("", "0", "free")


class _Token(msgspec.Struct):
    status: str = ""
    message: str = ""
    url: MaybeAddress | None = None


class _OneFichierUser(msgspec.Struct):
    status: str = ""
    message: str = ""
    offer: str | int | None = None
    subscription_end: str | None = None


class _OneFichierEntry(msgspec.Struct):
    filename: Name
    link: Address
    size: Size | None = None


class OneFichier(Hoster):
    id = "1fichier"
    name = "1fichier"
    version = "1.0"
    domains = DOMAINS
    matches = [
        rf"https?://(?:www\.)?(?:{HOSTS})/\?(?P<id>\w{{5,20}})",
        rf"https?://(?P<id>\w{{5,20}})\.(?:{HOSTS})/?$",
    ]
    folders = [rf"https?://(?:www\.)?(?:{HOSTS})/dir/(?:e/)?(?P<id>\w+)"]
    account = api_key("1fichier.com/console/params.pl")
    max_connections = 3
    # Guests may download one file at a time.
    serial = True
    settings = {"base": "https://1fichier.com", "api": "https://api.1fichier.com/v1"}

    async def check(self, link: Link, ctx: Context) -> Checked:
        """Parse a response line: the link, then name and size, or a keyword."""
        address = f"{self.settings['base']}/check_links.pl"
        page = require_available(await ctx.http.post(address, form={"links[]": _official(link)}))
        said = page.text.strip().partition(";")[2]
        if said.endswith(("NOT FOUND", "BAD LINK")):
            raise Offline
        if said.endswith("PRIVATE"):
            return Checked(online=True)
        name, _, size = said.rstrip(";").rpartition(";")
        entry = converted({"filename": name, "link": link.url, "size": size}, _OneFichierEntry)
        return Checked(online=True, name=entry.filename, size=entry.size)

    async def crawl(self, link: Link, ctx: Context) -> Folder:
        address = f"{self.settings['base']}/dir/{link.parts['id']}"

        async def list_files(password: str | None) -> list[_OneFichierEntry]:
            form = {"pass": password} if password else {}
            page = await ctx.http.post(address, query={"json": "1"}, form=form)
            if page.status == 404:
                raise Offline
            if _asks_password(page):
                raise PASSWORD_PROTECTED.error()
            return parsed(page, list[_OneFichierEntry])

        entries = await with_password(ctx, list_files)
        files = (FileLink(each.link, each.filename, each.size) for each in entries)
        return folder_of(files, None)

    async def resolve(self, link: Link, ctx: Context) -> File:
        async def fetch(password: str | None) -> str:
            way = self._by_key if ctx.account else self._as_guest
            return await way(link, ctx, password)

        return File(await with_password(ctx, fetch))

    async def check_account(self, ctx: Context) -> AccountState:
        user = parsed(await self._post("/user/info.cgi", ctx, {}), _OneFichierUser)
        if user.status == "KO":
            raise error_of_message(ERRORS, user.message)
        if user.offer is None:
            raise UNEXPECTED.error()
        premium = str(user.offer).lower() not in FREE_OFFERS
        until = timestamp_of(user.subscription_end) if premium else None
        return AccountState(valid=True, premium=premium, valid_until=until)

    async def _by_key(self, link: Link, ctx: Context, password: str | None) -> str:
        request = {"url": _official(link), **({"pass": password} if password else {})}
        token = parsed(await self._post("/download/get_token.cgi", ctx, request), _Token)
        if token.status != "OK":
            raise error_of_message(ERRORS, token.message)
        return token.url or _raise_unexpected()

    async def _as_guest(self, link: Link, ctx: Context, password: str | None) -> str:
        address = f"{self.settings['base']}/?{link.parts['id']}"
        page = _require_free_page(await ctx.http.get(address))
        if _asks_password(page) and not password:
            raise PASSWORD_PROTECTED.error()
        form = next(iter(forms(page.text)), None)
        if form is None:
            raise UNEXPECTED.error()
        sent = {**form.fields, **({"pass": password} if password else {})}
        page = _require_free_page(
            await ctx.http.post(resolved_url(address, form.action), form=sent)
        )
        for anchor in anchors(page.text):
            if "ok" in anchor.get("class", "").split():
                return anchor.get("href") or _raise_unexpected()
        if _asks_password(page):
            raise PASSWORD_PROTECTED.error()
        return _raise_unexpected()

    async def _post(self, path: str, ctx: Context, request: dict[str, str]) -> Page:
        headers = {"Authorization": f"Bearer {secret_of(ctx)}"}
        return await ctx.http.post(self.settings["api"] + path, headers=headers, json=request)


def _official(link: Link) -> str:
    return f"https://1fichier.com/?{link.parts['id']}"


def _asks_password(page: Page) -> bool:
    return page.find(r'<input[^<>]{0,200}name=("pass")') is not None


def _raise_unexpected() -> str:
    raise UNEXPECTED.error()


def _require_free_page(page: Page) -> Page:
    """Raise the error that a page shows to guests instead of the file."""
    page = truncated(page)
    if page.status == 404 or page.find(r"(file could not be found|has been deleted)"):
        raise Offline
    if waiting := page.find(r"you must wait\s{1,20}(?:at least )?(\d{1,6} \w{1,20})"):
        raise HosterLimit(WAIT_BETWEEN, seconds=seconds_in(waiting) or 300)
    if page.find(r"(only download one file at a time|you must wait between)"):
        raise HosterLimit(WAIT_BETWEEN, seconds=300)
    if page.find(r"(reserved to premium|only for premium|need a subscription)"):
        raise PREMIUM_ONLY.error()
    return require_available(page)
