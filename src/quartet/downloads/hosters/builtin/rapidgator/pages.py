"""Parses Rapidgator's web pages for guests."""

import html
import re

from quartet.downloads.hosters.builtin._folders import folder_of
from quartet.downloads.hosters.builtin._pages import size_in, truncated
from quartet.downloads.hosters.builtin._responses import UNEXPECTED, require_available
from quartet.downloads.hosters.sdk import Checked, Context, FileLink, Folder, Offline, Page

# All repetitions are bounded, because pages are untrusted and a search cannot be interrupted.
_ENTRY = re.compile(
    r'<a href="/file/(?P<id>[0-9a-f]{32}|\d{1,20})[^"]{0,500}"[^>]{0,200}>(?P<name>[^<]{1,1000})<'
    r"(?=(?P<rest>.{0,300}))",
    re.IGNORECASE | re.DOTALL,
)


def file_on(page: Page) -> Checked:
    page = _require_found(page)
    name = page.find(r"<title>Download file ([^<]{1,1000})</title>")
    if not name:
        raise UNEXPECTED.error()
    size = page.find(r"File size:\s{0,50}<strong>([^<]{1,50})</strong>")
    return Checked(online=True, name=html.unescape(name).strip(), size=size_in(size or ""))


async def folder_pages(address: str, ctx: Context, most: int) -> Folder:
    """Read pages until one has no new files; beyond the end, the last page is repeated."""
    found: dict[str, FileLink] = {}
    name = None
    for number in range(1, most + 1):
        page = _require_found(await ctx.http.get(address, query={"page": str(number)}))
        name = name or page.find(r"<title>Download folder ([^<]{1,1000})</title>")
        before = len(found)
        for entry in _ENTRY.finditer(page.text):
            link = f"https://rapidgator.net/file/{entry['id']}"
            size = size_in(entry["rest"].partition("/file/")[0])
            found[link] = FileLink(link, html.unescape(entry["name"]).strip(), size)
        if len(found) == before:
            break
    if not found:
        raise UNEXPECTED.error()
    return folder_of(found.values(), html.unescape(name or "").strip())


def _require_found(page: Page) -> Page:
    page = truncated(page)
    if page.status in (404, 410) or page.find(r">\s{0,20}(File not found|Error 404)"):
        raise Offline
    if not require_available(page).ok:
        raise UNEXPECTED.error()
    return page
