"""Asks a server about a file without downloading it."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from quartet.downloads.links.types import LinkInfo
from quartet.downloads.transfer.names import name_hint
from quartet.kernel.errors import AppError
from quartet.kernel.files import split_extension

if TYPE_CHECKING:
    # Imported late, because it is not needed at startup.
    from quartet.kernel.outbound import OutboundClient, ResponseStream

SECONDS = 20.0
_GONE = (404, 410)
_TOTAL = re.compile(r"bytes \d+-\d+/(\d{1,18})$")
# The body is not read, so its length does not matter.
_ANY_LENGTH = 2**63


async def probe_link(outbound: "OutboundClient", url: str) -> LinkInfo:
    if not url.lower().startswith("http"):
        return LinkInfo("unknown")
    headers = {"Range": "bytes=0-0", "Accept-Encoding": "identity"}
    try:
        async with outbound.stream(
            url, max_bytes=_ANY_LENGTH, headers=headers, timeout=SECONDS
        ) as answer:
            return _link_info(answer)
    except AppError:
        return LinkInfo("unknown")


def _link_info(answer: "ResponseStream") -> LinkInfo:
    if answer.status in _GONE:
        return LinkInfo("offline")
    if answer.status not in (200, 206):
        return LinkInfo("unknown")
    return LinkInfo("online", _name(answer), _size(answer.status, answer.headers))


def _size(status: int, headers: Mapping[str, str]) -> int | None:
    if status == 206:
        total = _TOTAL.match(headers.get("Content-Range", ""))
        return int(total.group(1)) if total else None
    length = headers.get("Content-Length", "")
    plain = "Content-Encoding" not in headers
    return int(length) if plain and length.isascii() and length.isdecimal() else None


def _name(answer: "ResponseStream") -> str | None:
    """Return the name from the server, or from the final address if it has a file extension."""
    disposition = answer.headers.get("Content-Disposition")
    name = name_hint(disposition, answer.url)
    return name if name and (disposition or split_extension(name)[1]) else None
