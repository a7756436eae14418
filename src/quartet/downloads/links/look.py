"""Asks a server about one file without loading it."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from quartet.downloads.links.types import Found
from quartet.downloads.transfer.names import name_hint
from quartet.kernel.errors import AppError
from quartet.kernel.files import split_extension

if TYPE_CHECKING:
    # Loaded when the first link is looked at, not at every start.
    from quartet.kernel.outbound import OutboundClient, ResponseStream

SECONDS = 20.0
_GONE = (404, 410)
_TOTAL = re.compile(r"bytes \d+-\d+/(\d{1,18})$")
# The body is not read, however long it says it is.
_ANY_LENGTH = 2**63


async def look(outbound: "OutboundClient", url: str) -> Found:
    if not url.lower().startswith("http"):
        return Found("unknown")
    headers = {"Range": "bytes=0-0", "Accept-Encoding": "identity"}
    try:
        async with outbound.stream(
            url, max_bytes=_ANY_LENGTH, headers=headers, timeout=SECONDS
        ) as answer:
            return _found(answer)
    except AppError:
        return Found("unknown")


def _found(answer: "ResponseStream") -> Found:
    if answer.status in _GONE:
        return Found("offline")
    if answer.status not in (200, 206):
        return Found("unknown")
    return Found("online", _name(answer), _size(answer.status, answer.headers))


def _size(status: int, headers: Mapping[str, str]) -> int | None:
    if status == 206:
        total = _TOTAL.match(headers.get("Content-Range", ""))
        return int(total.group(1)) if total else None
    length = headers.get("Content-Length", "")
    plain = "Content-Encoding" not in headers
    return int(length) if plain and length.isascii() and length.isdecimal() else None


def _name(answer: "ResponseStream") -> str | None:
    """The name the server gives, or that of the address it led to if it looks like a file's."""
    disposition = answer.headers.get("Content-Disposition")
    name = name_hint(disposition, answer.url)
    return name if name and (disposition or split_extension(name)[1]) else None
