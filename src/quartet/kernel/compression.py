"""Compresses responses for clients that accept it, and says how long public ones may be cached."""

import asyncio
import re
from functools import lru_cache

from quartet.kernel.asgi import Message, Send

# Smaller bodies fit into one network packet anyway.
SMALLEST_BYTES = 1400
# Larger bodies are compressed in a thread, because that would block the event loop.
_IN_THREAD_BYTES = 128 * 1024
_LEVEL = 1
_JSON = b"application/json"
_COMPRESSIBLE = (_JSON, b"text/html", b"text/plain", b"text/javascript", b"text/css")
_QUALITY_ZERO = re.compile(r";\s*q=0(\.0*)?\s*$")


@lru_cache(maxsize=16)
def accepted_encodings(header: str) -> frozenset[str]:
    return frozenset(
        each.split(";")[0].strip().lower()
        for each in header.split(",")
        if not _QUALITY_ZERO.search(each)
    )


@lru_cache(maxsize=16)
def accepted_encoding(header: str) -> str:
    """Return the best encoding that the client accepts, or an empty string."""
    accepted = accepted_encodings(header)
    if "zstd" in accepted:
        return "zstd"
    return "gzip" if accepted & {"gzip", "*"} else ""


def compress(body: bytes, encoding: str) -> bytes:
    # Imported here because they are not needed for the first answer.
    if encoding == "zstd":
        import zstandard

        return zstandard.compress(body, _LEVEL)
    try:
        # Five times as fast as zlib; a part of some services only.
        from isal import igzip as gzip
    except ImportError:
        import gzip  # type: ignore[no-redef]

    return gzip.compress(body, _LEVEL, mtime=0)


def caching_line(seconds: int) -> bytes:
    """Return the value of Cache-Control; 0 means that a cache must ask each time."""
    return b"public, max-age=%d" % seconds if seconds else b"no-cache"


class ResponseSender:
    """Sends a response, compressed if its body is complete in one message.

    `cache_seconds` is for JSON that contains nothing secret; None leaves the headers as they are.
    """

    def __init__(self, send: Send, encoding: str, cache_seconds: int | None) -> None:
        self._send = send
        self._encoding = encoding
        self._cache_seconds = cache_seconds
        # Held back until the body is known.
        self._start: Message | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_compressible(message):
            self._start = message
            return
        start, self._start = self._start, None
        if start is not None:
            more = [(b"vary", b"accept-encoding"), *self._caching(start)]
            body = message.get("body", b"")
            whole = not message.get("more_body")
            if self._encoding and whole and len(body) >= SMALLEST_BYTES:
                message["body"] = body = await self._compress(body)
                more.append((b"content-encoding", self._encoding.encode()))
                more.append((b"content-length", b"%d" % len(body)))
            _set_headers(start, more)
            await self._send(start)
        await self._send(message)

    def _caching(self, start: Message) -> list[tuple[bytes, bytes]]:
        if self._cache_seconds is None or start["status"] != 200:
            return []
        headers = dict(start["headers"])
        if not headers[b"content-type"].startswith(_JSON) or b"cache-control" in headers:
            return []
        return [(b"cache-control", caching_line(self._cache_seconds))]

    async def _compress(self, body: bytes) -> bytes:
        if len(body) > _IN_THREAD_BYTES:
            return await asyncio.to_thread(compress, body, self._encoding)
        return compress(body, self._encoding)


def _is_compressible(start: Message) -> bool:
    if start["status"] in (204, 206, 304):
        return False
    headers = dict(start["headers"])
    return (
        headers.get(b"content-type", b"").startswith(_COMPRESSIBLE)
        and b"content-encoding" not in headers
        and b"content-range" not in headers
    )


def _set_headers(start: Message, more: list[tuple[bytes, bytes]]) -> None:
    names = {name for name, _ in more}
    start["headers"] = [*(each for each in start["headers"] if each[0] not in names), *more]
