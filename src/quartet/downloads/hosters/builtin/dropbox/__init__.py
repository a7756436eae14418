"""dropbox.com: shared links, which return the file directly."""

from urllib.parse import parse_qsl, urlencode, urlsplit

from quartet.downloads.hosters.builtin._responses import UNEXPECTED, require_available
from quartet.downloads.hosters.sdk import (
    Checked,
    Context,
    Fatal,
    File,
    Hoster,
    HosterLimit,
    Link,
    Offline,
    Page,
    Text,
)
from quartet.downloads.transfer.names import name_hint

PROTECTED = Text(
    de="Der Link hat ein Passwort, das nur auf der Seite von Dropbox eingegeben werden kann.",
    en="The link has a password, which can only be typed into the page of Dropbox.",
)
BUSY = Text(
    de="Über diesen Link wurde zu viel geladen; Dropbox hat ihn für eine Weile abgeschaltet.",
    en="Too much was downloaded through this link; Dropbox has switched it off for a while.",
)


class Dropbox(Hoster):
    id = "dropbox"
    name = "Dropbox"
    version = "1.0"
    domains = ["dropbox.com"]
    # Folders are sent as one archive.
    matches = [r"https?://(?:www\.|dl\.)?dropbox\.com/(?:s|sh|scl/fi|scl/fo)/\w+"]
    settings = {"base": "https://www.dropbox.com"}

    async def check(self, link: Link, ctx: Context) -> Checked:
        page = await self._open(link, ctx)
        size = page.headers.get("content-length", "")
        known = int(size) if size.isdecimal() and len(size) < 16 else None
        return Checked(online=True, name=_name(page), size=known)

    async def resolve(self, link: Link, ctx: Context) -> File:
        page = await self._open(link, ctx)
        cookies = await ctx.http.cookies(page.url)
        return File(page.url, cookies=cookies, name=_name(page))

    async def _open(self, link: Link, ctx: Context) -> Page:
        parts = urlsplit(link.url)
        query = {**dict(parse_qsl(parts.query)), "dl": "1"}
        page = await ctx.http.get(f"{self.settings['base']}{parts.path}?{urlencode(query)}")
        if page.file:
            return page
        if page.status in (404, 410) or page.find(r"(file has been deleted|link.{0,20}not found)"):
            raise Offline
        if page.status in (429, 460, 509) or page.find(r"(links? .{0,40}temporarily disabled)"):
            raise HosterLimit(BUSY, seconds=3600)
        if "/password" in urlsplit(page.url).path or page.status in (401, 403):
            raise Fatal(PROTECTED)
        require_available(page)
        raise UNEXPECTED.error()


def _name(page: Page) -> str | None:
    return name_hint(page.headers.get("content-disposition"), page.url)
