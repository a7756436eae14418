from pathlib import PurePosixPath
from typing import Annotated
from urllib.parse import quote

from litestar import get, put
from litestar.params import FromPath, FromQuery, QueryParameter
from litestar.response import Stream

from quartet.kernel.files.opened_file import OpenedFile
from quartet.kernel.web import Injected, Request
from quartet.sync.accounts.access import EDITOR, READER
from quartet.sync.hub.shared import SharedHub
from quartet.sync.hubfiles.browser.service import HubBrowser
from quartet.sync.hubfiles.browser.types import FileOrVersion, Listing, Uploaded

FOLDER = "/api/folders/{folder_id:int}"
BINARY = "application/octet-stream"
# Shown by the browser itself. No type that can contain scripts, such as SVG.
IMAGES = {
    ".avif": "image/avif",
    ".bmp": "image/bmp",
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
}

LongPath = Annotated[str, QueryParameter(max_length=4096)]


@get(f"{FOLDER}/files", **READER)
async def list_files(
    folder_id: FromPath[int],
    browser: Injected[HubBrowser],
    hub: Injected[SharedHub],
    path: LongPath = "",
    search: Annotated[str, QueryParameter(max_length=200)] = "",
) -> Listing:
    """List a folder on the hub, or find files below it."""
    return await hub.call_owner(browser.listing, folder_id, path, search)


@get(f"{FOLDER}/files/content", media_type=BINARY, **READER)
async def read_file(
    folder_id: FromPath[int],
    browser: Injected[HubBrowser],
    path: LongPath,
    at: Annotated[int | None, QueryParameter(ge=0, le=253402300799)] = None,
    inline: FromQuery[bool] = False,
) -> Stream:
    """Send a file, or its version of the time `at`; images also for display in a page."""
    opened = await browser.open(folder_id, FileOrVersion(path, at))
    shown = IMAGES.get(PurePosixPath(opened.name).suffix.lower()) if inline else None
    return file_answer(opened, shown)


@get(f"{FOLDER}/files/zip", media_type="application/zip", **READER)
async def zip_folder(
    folder_id: FromPath[int], browser: Injected[HubBrowser], path: LongPath = ""
) -> Stream:
    """Send a folder as a zip archive."""
    pieces = await browser.zip(folder_id, path)
    headers = {"content-disposition": attachment(browser.zip_name(folder_id, path))}
    return Stream(pieces, headers=headers, media_type="application/zip")


@put(f"{FOLDER}/files/content", status_code=200, request_max_body_size=None, **EDITOR)
async def upload_file(
    request: Request, folder_id: FromPath[int], browser: Injected[HubBrowser], path: LongPath
) -> Uploaded:
    """Store the body as a file; the current one becomes a version, and every device follows."""
    return await browser.upload(folder_id, path, request.stream())


def file_answer(opened: OpenedFile, shown: str | None = None) -> Stream:
    headers = {
        "content-length": str(opened.size),
        "content-disposition": "inline" if shown else attachment(opened.name),
        # The type of the route, which the document names, would take precedence.
        "content-type": shown or BINARY,
    }
    return Stream(opened.pieces(), headers=headers)


def attachment(name: str) -> str:
    return f"attachment; filename*=UTF-8''{quote(name, safe='')}"


ROUTES = [list_files, read_file, zip_folder, upload_file]
