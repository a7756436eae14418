"""Reads request bodies: a large one only if it starts with a valid token.

Anyone may call the interface, and the token is inside of the body. Clients send it as the first
parameter, before the content of a file, so that the start of the body contains it.
"""

import re
from collections.abc import AsyncIterator

from quartet.downloads.aria2.protocol import CheckToken
from quartet.kernel.error_responses import MAX_BODY_BYTES, MAX_PUBLIC_BODY_BYTES
from quartet.kernel.errors import AppError

_TOKEN = re.compile(rb'"token:([^"\\]{1,200})"')


async def read_body(chunks: AsyncIterator[bytes], check_token: CheckToken) -> bytes:
    body, limit = bytearray(), MAX_PUBLIC_BODY_BYTES
    async for chunk in chunks:
        if len(body) + len(chunk) > limit == MAX_PUBLIC_BODY_BYTES:
            start = bytes((body + chunk)[:MAX_PUBLIC_BODY_BYTES])
            if await _has_token(start, check_token):
                limit = MAX_BODY_BYTES
        if len(body) + len(chunk) > limit:
            raise AppError(413, "too_large", limit=limit)
        body += chunk
    return bytes(body)


async def is_allowed(message: bytes, check_token: CheckToken) -> bool:
    """Return whether a message of a WebSocket is small, or starts with a valid token."""
    start = message[:MAX_PUBLIC_BODY_BYTES]
    return len(message) <= MAX_PUBLIC_BODY_BYTES or await _has_token(start, check_token)


async def _has_token(start: bytes, check_token: CheckToken) -> bool:
    found = _TOKEN.search(start)
    return found is not None and await check_token(found[1].decode("utf-8", "replace"))
