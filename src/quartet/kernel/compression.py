"""Compresses responses for clients that accept it."""

import asyncio
import re
import zlib
from collections.abc import MutableMapping, Sequence
from importlib.util import find_spec
from typing import Any

# Smaller bodies fit into one network packet anyway.
SMALLEST = 1024
# Larger bodies are compressed in a thread, because that would block the event loop.
_IN_THREAD = 128 * 1024
_COMPRESSIBLE = (b"application/json", b"text/html", b"text/plain", b"text/javascript", b"text/css")
_GZIP_LEVEL, _ZSTD_LEVEL = 4, 3
_QUALITY_ZERO = re.compile(r";\s*q=0(\.0*)?\s*$")
_HAS_ZSTD = find_spec("zstandard") is not None

Headers = Sequence[tuple[bytes, bytes]]
Message = MutableMapping[str, Any]


def accepted_encoding(header: str) -> str:
    """Return the best encoding that the client accepts, or an empty string."""
    accepted = {
        each.split(";")[0].strip().lower()
        for each in header.split(",")
        if not _QUALITY_ZERO.search(each)
    }
    if "zstd" in accepted and _HAS_ZSTD:
        return "zstd"
    return "gzip" if "gzip" in accepted else ""


def compressed(body: bytes, encoding: str) -> bytes:
    if encoding == "zstd":
        import zstandard

        packed: bytes = zstandard.compress(body, _ZSTD_LEVEL)
        return packed
    packer = zlib.compressobj(_GZIP_LEVEL, zlib.DEFLATED, 31)
    return packer.compress(body) + packer.flush()


def is_compressible(start: Message) -> bool:
    """Return whether the response that starts with this message may be compressed."""
    headers = dict(start["headers"])
    return (
        start["status"] not in (204, 206, 304)
        and headers.get(b"content-type", b"").startswith(_COMPRESSIBLE)
        and b"content-encoding" not in headers
        and b"content-range" not in headers
    )


async def compress_response(start: Message, body: bytes, encoding: str) -> bytes:
    """Return the compressed body, and adjust the headers of the response."""
    if len(body) > _IN_THREAD:
        packed = await asyncio.to_thread(compressed, body, encoding)
    else:
        packed = compressed(body, encoding)
    kept = [each for each in start["headers"] if each[0] not in (b"content-length", b"vary")]
    start["headers"] = [
        *kept,
        (b"content-length", str(len(packed)).encode()),
        (b"content-encoding", encoding.encode()),
        (b"vary", b"accept-encoding"),
    ]
    return packed
