"""drive.google.com: files and folders that are shared by link."""

import html
import re
from urllib.parse import urlencode

import msgspec

from quartet.downloads.hosters.builtin._folders import folder_of, walk
from quartet.downloads.hosters.builtin._pages import forms, resolved_url
from quartet.downloads.hosters.builtin._responses import (
    UNAVAILABLE,
    UNEXPECTED,
    MaybeAddress,
    converted,
    require_available,
)
from quartet.downloads.hosters.plugin_types import Name, Size
from quartet.downloads.hosters.sdk import (
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
    PluginError,
    Temporary,
    Text,
)

# Prefix of JSON responses, which prevents other pages from running them as scripts.
GUARD = b")]}'"
QUOTA_SECONDS = 3600
HOST = r"https?://(?:drive|docs|drive\.usercontent)\.google\.com"
ID = r"(?P<id>[\w-]{10,100})"

QUOTA = Text(
    de="Die Datei wurde zu oft geladen; Google gibt sie gerade nicht heraus.",
    en="The file was downloaded too often; Google does not hand it out now.",
)
INFECTED = Text(
    de="Google hält die Datei für schädlich und gibt sie nicht heraus.",
    en="Google takes the file for harmful and does not hand it out.",
)
PRIVATE = Text(
    de="Wer die Datei geteilt hat, erlaubt den Download nicht.",
    en="Whoever shares the file does not allow downloads.",
)
_TITLE = re.compile(r'class="flip-entry-title">([^<]{1,1000})<')


class _GoogleDriveFile(msgspec.Struct, rename="camel"):
    disposition: str = ""
    file_name: Name | None = None
    size_bytes: Size | None = None
    download_url: MaybeAddress | None = None


class GoogleDrive(Hoster):
    id = "googledrive"
    name = "Google Drive"
    version = "1.0"
    domains = ["drive.google.com", "docs.google.com", "drive.usercontent.google.com"]
    matches = [
        rf"{HOST}/(?:a/[\w.-]+/)?file/d/{ID}(?:.*[?&]resourcekey=(?P<key>[\w-]+))?",
        rf"{HOST}/(?:u/\d+/)?(?:uc|open|download)\?(?:[^#]*&)?id={ID}"
        r"(?:.*[?&]resourcekey=(?P<key>[\w-]+))?",
    ]
    folders = [rf"{HOST}/(?:drive/(?:u/\d+/)?folders/|folderview\?id=|embeddedfolderview\?id=){ID}"]
    max_connections = 6
    settings = {"base": "https://drive.google.com"}

    async def check(self, link: Link, ctx: Context) -> Checked:
        file = await self._file(link, ctx)
        return Checked(online=True, name=file.file_name, size=file.size_bytes)

    async def crawl(self, link: Link, ctx: Context) -> Folder:
        files: list[FileLink] = []
        names: list[str | None] = []

        async def list_folder(id: str) -> list[str]:
            address = f"{self.settings['base']}/embeddedfolderview"
            page = _require_found(await ctx.http.get(address, query={"id": id}))
            names.append(page.find(r"<title>([^<]{1,1000})</title>"))
            inner = []
            for entry, title in _entries(page):
                if found := re.match(self.folders[0], entry):
                    inner.append(found["id"])
                elif found := re.match(self.matches[0], entry):
                    files.append(FileLink(_address(found["id"]), title))
            return inner

        await walk(link.parts["id"], list_folder)
        if not files:
            raise UNEXPECTED.error()
        return folder_of(files, html.unescape(names[0] or ""))

    async def resolve(self, link: Link, ctx: Context) -> File:
        file = await self._file(link, ctx)
        refusal = _disposition_error(file)
        if refusal:
            raise refusal
        if not file.download_url:
            raise UNEXPECTED.error()
        address = await _confirmed(file.download_url, ctx)
        cookies = await ctx.http.cookies(address)
        return File(address, cookies=cookies, name=file.file_name, size=file.size_bytes)

    async def _file(self, link: Link, ctx: Context) -> _GoogleDriveFile:
        query = {"id": link.parts["id"], "export": "download"}
        if key := link.parts.get("key"):
            query["resourcekey"] = key
        headers = {"X-Drive-First-Party": "DriveViewer"}
        page = await ctx.http.post(f"{self.settings['base']}/uc", query=query, headers=headers)
        _require_found(page)
        if not page.body.startswith(GUARD):
            raise UNEXPECTED.error()
        return converted(_without_guard(page).json(), _GoogleDriveFile)


async def _confirmed(address: str, ctx: Context) -> str:
    """Confirm the warning page of files that are too large to be scanned for viruses."""
    page = await ctx.http.get(address)
    if page.file:
        return page.url
    if _require_found(page).find(r"(quota exceeded|too many users have viewed)"):
        raise Temporary(QUOTA, seconds=QUOTA_SECONDS)
    for form in forms(page.text):
        if "confirm" in form.fields:
            return (
                f"{resolved_url(page.url, form.action).partition('?')[0]}?{urlencode(form.fields)}"
            )
    raise UNEXPECTED.error()


def _disposition_error(file: _GoogleDriveFile) -> PluginError | None:
    match file.disposition:
        case "QUOTA_EXCEEDED":
            # The limit applies to this file only.
            return Temporary(QUOTA, seconds=QUOTA_SECONDS)
        case "FILE_INFECTED_NOT_OWNER":
            return Fatal(INFECTED)
        case "DOWNLOAD_RESTRICTED":
            return Fatal(PRIVATE)
    return None


def _require_found(page: Page) -> Page:
    if page.status in (404, 410):
        raise Offline
    if page.status in (401, 403):
        raise Fatal(PRIVATE)
    if page.status == 429 and "retry-after" not in page.headers:
        raise HosterLimit(UNAVAILABLE.text, seconds=300)
    return require_available(page)


def _entries(page: Page) -> list[tuple[str, str | None]]:
    """Return the addresses of files and folders with the titles that follow them."""
    found = []
    for part in page.text.split('href="')[1:]:
        address, _, rest = part.partition('"')
        title = _TITLE.search(rest)
        found.append((html.unescape(address), html.unescape(title[1]) if title else None))
    return found


def _address(id: str) -> str:
    return f"https://drive.google.com/file/d/{id}/view"


def _without_guard(page: Page) -> Page:
    return Page(page.status, page.url, page.headers, page.body.removeprefix(GUARD))
