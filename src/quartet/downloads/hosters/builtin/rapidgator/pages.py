"""What its pages show to guests."""

import html
import re

from quartet.downloads.hosters.builtin._answers import STRANGE, reached
from quartet.downloads.hosters.builtin._folders import folder_of
from quartet.downloads.hosters.builtin._pages import cut, size_in
from quartet.downloads.hosters.sdk import Checked, Context, FileLink, Folder, Offline, Page

# Every repetition has an end: pages are not to be trusted, and a search cannot be interrupted.
_ENTRY = re.compile(
    r'<a href="/file/(?P<id>[0-9a-f]{32}|\d{1,20})[^"]{0,500}"[^>]{0,200}>(?P<name>[^<]{1,1000})<'
    r"(?=(?P<rest>.{0,300}))",
    re.IGNORECASE | re.DOTALL,
)


def file_on(page: Page) -> Checked:
    page = _there(page)
    name = page.find(r"<title>Download file ([^<]{1,1000})</title>")
    if not name:
        raise STRANGE.error()
    size = page.find(r"File size:\s{0,50}<strong>([^<]{1,50})</strong>")
    return Checked(online=True, name=html.unescape(name).strip(), size=size_in(size or ""))


async def folder_pages(address: str, ctx: Context, most: int) -> Folder:
    """Until a page has nothing new: beyond the last one it shows the last one again."""
    found: dict[str, FileLink] = {}
    name = None
    for number in range(1, most + 1):
        page = _there(await ctx.http.get(address, query={"page": str(number)}))
        name = name or page.find(r"<title>Download folder ([^<]{1,1000})</title>")
        before = len(found)
        for entry in _ENTRY.finditer(page.text):
            link = f"https://rapidgator.net/file/{entry['id']}"
            size = size_in(entry["rest"].partition("/file/")[0])
            found[link] = FileLink(link, html.unescape(entry["name"]).strip(), size)
        if len(found) == before:
            break
    if not found:
        raise STRANGE.error()
    return folder_of(found.values(), html.unescape(name or "").strip())


def _there(page: Page) -> Page:
    page = cut(page)
    if page.status in (404, 410) or page.find(r">\s{0,20}(File not found|Error 404)"):
        raise Offline
    if not reached(page).ok:
        raise STRANGE.error()
    return page
