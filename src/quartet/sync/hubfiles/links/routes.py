from typing import Annotated

from litestar import delete, get, post
from litestar.enums import RequestEncodingType
from litestar.params import Body, FromPath
from litestar.response import Stream

from quartet.kernel.auth.throttle import client_key
from quartet.kernel.web import PUBLIC, Injected, JSONBody, Request, identity_of
from quartet.sync.hubfiles.browser.routes import attachment, file_answer
from quartet.sync.hubfiles.browser.service import HubBrowser
from quartet.sync.hubfiles.browser.types import FileOrVersion
from quartet.sync.hubfiles.links.service import ShareLinks
from quartet.sync.hubfiles.links.types import (
    CreatedLink,
    LinkedFile,
    LinkQuestion,
    NewLink,
    ShareLink,
)

# A form, because only a form lets the browser save the answer while it arrives.
Form = Annotated[LinkQuestion, Body(media_type=RequestEncodingType.URL_ENCODED)]


@get("/api/links")
async def list_links(links: Injected[ShareLinks]) -> list[ShareLink]:
    """List all share links, newest first."""
    return await links.page()


@post("/api/folders/{folder_id:int}/links", status_code=201, audit="link_created")
async def create_link(
    request: Request,
    folder_id: FromPath[int],
    data: JSONBody[NewLink],
    links: Injected[ShareLinks],
) -> CreatedLink:
    """Create a link by which people without an account download a file or a folder."""
    return await links.create(identity_of(request).subject, folder_id, data)


@delete("/api/links/{link_id:int}", status_code=204, audit="link_revoked")
async def revoke_link(link_id: FromPath[int], links: Injected[ShareLinks]) -> None:
    """End a share link at once."""
    await links.revoke(link_id)


@post("/api/links/look", status_code=200, **PUBLIC)
async def look_at_link(
    request: Request, data: JSONBody[LinkQuestion], links: Injected[ShareLinks]
) -> LinkedFile:
    """Return what a share link leads to; the token is in the body, so that no log contains it."""
    return await links.look(client_key(request), data)


@post(
    "/api/links/download",
    status_code=200,
    media_type="application/octet-stream",
    audit="link_used",
    opt={"public": True, "accepts": "application/x-www-form-urlencoded"},
)
async def download_link(
    request: Request, data: Form, links: Injected[ShareLinks], browser: Injected[HubBrowser]
) -> Stream:
    """Send the file of a share link, or its folder as a zip archive; the body is a form."""
    link = await links.use(client_key(request), data)
    entry = await browser.describe(link.folder_id, link.path)
    if not entry.is_folder:
        return file_answer(await browser.open(link.folder_id, FileOrVersion(link.path)))
    pieces = await browser.zip(link.folder_id, link.path)
    name = attachment(browser.zip_name(link.folder_id, link.path))
    headers = {"content-disposition": name, "content-type": "application/zip"}
    return Stream(pieces, headers=headers)


ROUTES = [list_links, create_link, revoke_link, look_at_link, download_link]
