"""mediafire.com: files and folders; details come from the API, files from the pages."""

import binascii
from base64 import b64decode
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec

from quartet.downloads.hosters.builtin._folders import folder_of, walk
from quartet.downloads.hosters.builtin._pages import anchors
from quartet.downloads.hosters.builtin._responses import (
    FILE_GONE,
    PASSWORD_PROTECTED,
    UNEXPECTED,
    converted,
    error_of_code,
    hash_of,
    parsed,
    require_available,
    with_password,
)
from quartet.downloads.hosters.plugin_types import Name, Size
from quartet.downloads.hosters.sdk import (
    Checked,
    Context,
    File,
    FileLink,
    Folder,
    Hoster,
    Link,
    Offline,
    Page,
)

MOST_CHUNKS = 500
ERRORS = {
    "104": FILE_GONE,
    "110": FILE_GONE,
    "111": FILE_GONE,
    "112": FILE_GONE,
    "114": FILE_GONE,
}


class _MediaFireAnswer(msgspec.Struct):
    response: dict[str, Any]


class _Result(msgspec.Struct):
    result: str = ""
    error: int | None = None
    message: str = ""


class _MediaFireFile(msgspec.Struct):
    quickkey: str
    filename: Name
    size: Size | None = None
    hash: str | None = None


class _MediaFireFolder(msgspec.Struct):
    folderkey: str
    name: Name = ""


class _MediaFireContent(msgspec.Struct):
    files: list[_MediaFireFile] = []
    folders: list[_MediaFireFolder] = []
    more_chunks: str = "no"


class MediaFire(Hoster):
    id = "mediafire"
    name = "MediaFire"
    version = "1.0"
    domains = ["mediafire.com"]
    matches = [
        r"https?://(?:www\.)?mediafire\.com/(?:file|file_premium|view|download|listen|watch)/"
        r"(?P<id>[a-z0-9]{11,20})",
        r"https?://(?:www\.)?mediafire\.com/(?:download\.php)?\?(?P<id>[a-z0-9]{15}|[a-z0-9]{11})$",
    ]
    # In these short links, the length of the key shows whether it is a file or a folder.
    folders = [
        r"https?://(?:www\.)?mediafire\.com/folder/(?P<id>[a-z0-9]{10,20})",
        r"https?://(?:www\.)?mediafire\.com/[?#](?P<id>[a-z0-9]{13})$",
    ]
    settings = {"base": "https://www.mediafire.com"}

    async def check(self, link: Link, ctx: Context) -> Checked:
        info = await self._info(link, ctx)
        return Checked(
            online=True, name=info.filename, size=info.size, hash=hash_of("sha256", info.hash)
        )

    async def crawl(self, link: Link, ctx: Context) -> Folder:
        root = link.parts["id"]
        answer = await self._call("folder/get_info", ctx, folder_key=root)
        folder = converted(answer.get("folder_info"), _MediaFireFolder)
        files: list[FileLink] = []

        async def list_folder(key: str) -> list[str]:
            found = await self._content(key, "files", ctx)
            files.extend(_link(each) for each in found.files)
            inner = await self._content(key, "folders", ctx)
            return [each.folderkey for each in inner.folders]

        await walk(root, list_folder)
        return folder_of(files, folder.name)

    async def resolve(self, link: Link, ctx: Context) -> File:
        info = await self._info(link, ctx)

        async def open_page(password: str | None) -> str:
            address = f"{self.settings['base']}/file/{link.parts['id']}"
            page = await ctx.http.get(address)
            if _asks_password(page) and password:
                page = await ctx.http.post(address, form={"downloadp": password})
            if _asks_password(page):
                raise PASSWORD_PROTECTED.error()
            return _button(page)

        address = await with_password(ctx, open_page)
        return File(address, name=info.filename, size=info.size, hash=hash_of("sha256", info.hash))

    async def _info(self, link: Link, ctx: Context) -> _MediaFireFile:
        answer = await self._call("file/get_info", ctx, quick_key=link.parts["id"])
        return converted(answer.get("file_info"), _MediaFireFile)

    async def _content(self, key: str, kind: str, ctx: Context) -> _MediaFireContent:
        """Return all chunks of one kind of content."""
        whole = _MediaFireContent()
        for chunk in range(1, MOST_CHUNKS + 1):
            request = {"folder_key": key, "content_type": kind, "chunk": str(chunk)}
            answer = await self._call("folder/get_content", ctx, **request)
            part = converted(answer.get("folder_content"), _MediaFireContent)
            whole.files = [*whole.files, *part.files]
            whole.folders = [*whole.folders, *part.folders]
            if part.more_chunks != "yes" or not (part.files or part.folders):
                break
        return whole

    async def _call(self, path: str, ctx: Context, **query: str) -> dict[str, Any]:
        address = f"{self.settings['base']}/api/1.5/{path}.php"
        page = await ctx.http.get(address, query={**query, "response_format": "json"})
        response = parsed(page, _MediaFireAnswer).response
        answer = converted(response, _Result)
        if answer.result != "Success":
            raise error_of_code(ERRORS, str(answer.error or ""), answer.message)
        return response


def _link(file: _MediaFireFile) -> FileLink:
    address = f"https://www.mediafire.com/file/{file.quickkey}"
    return FileLink(address, file.filename, file.size, hash_of("sha256", file.hash))


def _asks_password(page: Page) -> bool:
    return page.find(r'name=("downloadp")') is not None


def _button(page: Page) -> str:
    """Return the address from the download button, where it may be base64-encoded."""
    if page.file:
        return page.url
    # Removed files redirect to a page with an error number.
    if page.status in (404, 410) or parse_qs(urlsplit(page.url).query).get("errno"):
        raise Offline
    for anchor in anchors(require_available(page).text):
        if anchor.get("id") == "downloadButton":
            return _unscrambled(anchor)
    raise UNEXPECTED.error()


def _unscrambled(anchor: dict[str, str]) -> str:
    try:
        address = b64decode(anchor.get("data-scrambled-url", ""), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        address = ""
    address = address or anchor.get("href", "")
    if not address.startswith(("https://", "http://")):
        raise UNEXPECTED.error()
    return address
