"""Asks a server about a file without downloading it."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from quartet.downloads.links.types import LinkInfo
from quartet.downloads.request_headers import RequestHeaders
from quartet.downloads.transfer.names import name_hint
from quartet.downloads.transfer.pages import is_container, is_page_name, is_web_page, page_text
from quartet.downloads.transfer.redirects import is_ftp_folder
from quartet.downloads.transfer.responses import GONE, status_problem
from quartet.kernel.errors import AppError, Problem, RedirectedElsewhere, problem_of
from quartet.kernel.files import split_extension

if TYPE_CHECKING:
    # Imported late, because it is not needed at startup.
    from quartet.kernel.outbound import OutboundClient, ResponseStream

SECONDS = 20.0
_TITLE_BYTES = 4096
_TOTAL = re.compile(r"bytes \d+-\d+/(\d{1,18})$")
_NO_HEADERS = RequestHeaders()
# The body is not read, so its length does not matter.
_ANY_LENGTH = 2**63


async def probe_link(
    outbound: "OutboundClient", url: str, own: RequestHeaders = _NO_HEADERS
) -> LinkInfo:
    if is_ftp_folder(url):
        return LinkInfo("offline", error=Problem("ftp_folder"))
    if not url.lower().startswith("http"):
        return LinkInfo("unknown")
    headers = {"Range": "bytes=0-0", "Accept-Encoding": "identity"}
    try:
        async with outbound.stream(
            url,
            max_bytes=_ANY_LENGTH,
            headers=headers,
            own_headers=own.as_headers(),
            timeout=SECONDS,
            body_seconds=SECONDS,
        ) as answer:
            return await _link_info(answer, url)
    except AppError as error:
        if isinstance(error, RedirectedElsewhere) and error.is_magnet:
            return LinkInfo("unknown", container=True)
        return LinkInfo("unknown", error=problem_of(error))


async def _link_info(answer: "ResponseStream", url: str) -> LinkInfo:
    if answer.status in GONE:
        return LinkInfo("offline")
    if answer.status not in (200, 206):
        return LinkInfo("unknown", error=status_problem(answer.status))
    if is_web_page(answer.headers) and not is_page_name(url):
        return LinkInfo("offline", error=Problem("web_page", {"text": await _page_title(answer)}))
    size = _size(answer.status, answer.headers)
    headers = {name.lower(): text for name, text in answer.headers.items()}
    if is_container(headers, answer.url, size):
        return LinkInfo("unknown", container=True)
    return LinkInfo("online", _name(answer), size)


async def _page_title(answer: "ResponseStream") -> str:
    start = b""
    async for piece in answer.chunks():
        start += piece
        if len(start) >= _TITLE_BYTES:
            break
    return page_text(start[:_TITLE_BYTES])


def _size(status: int, headers: Mapping[str, str]) -> int | None:
    if headers.get("Content-Encoding", "identity").lower() != "identity":
        return None
    if status == 206:
        total = _TOTAL.match(headers.get("Content-Range", ""))
        return int(total.group(1)) if total else None
    length = headers.get("Content-Length", "")
    return int(length) if length.isascii() and length.isdecimal() else None


def _name(answer: "ResponseStream") -> str | None:
    """Return the name from the server, or from the final address if it has a file extension."""
    disposition = answer.headers.get("Content-Disposition")
    name = name_hint(disposition, answer.url)
    return name if name and (disposition or split_extension(name)[1]) else None
