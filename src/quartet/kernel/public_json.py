"""Compresses the JSON of public responses, and says how long it may be cached.

Only paths that a service lists are compressed: responses that contain secrets of a user must not
be, because their size would reveal whether they contain a guess of an attacker.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]

# Smaller bodies fit into one packet anyway.
SMALLEST_BYTES = 1400
_LEVEL = 1


def accepts_gzip(accepted: str) -> bool:
    """Return whether an Accept-Encoding header allows gzip."""
    for part in accepted.split(","):
        name, _, weight = part.partition(";")
        if name.strip().lower() in ("gzip", "*"):
            return weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def compress(body: bytes) -> bytes:
    # Imported here because most services never compress. It is five times as fast as zlib.
    from isal import igzip

    return igzip.compress(body, _LEVEL, mtime=0)


def caching_line(seconds: int) -> bytes:
    """Return the value of Cache-Control; 0 means that a cache must ask each time."""
    return b"public, max-age=%d" % seconds if seconds else b"no-cache"


def sending_json(send: Send, seconds: int, *, gzip: bool) -> Send:
    """Return a function that sends JSON with a caching header, compressed if `gzip` is set."""
    held: list[Message] = []

    async def answer(message: Message) -> None:
        if message["type"] == "http.response.start" and _is_plain_json(message):
            held.append(message)
            return
        if held:
            start = held.pop()
            more = [(b"vary", b"accept-encoding")]
            if b"cache-control" not in dict(start["headers"]):
                more.append((b"cache-control", caching_line(seconds)))
            whole = not message.get("more_body")
            if gzip and whole and len(message.get("body", b"")) >= SMALLEST_BYTES:
                message = {**message, "body": compress(message["body"])}
                more.append((b"content-encoding", b"gzip"))
                more.append((b"content-length", b"%d" % len(message["body"])))
            await send({**start, "headers": _replaced(start["headers"], more)})
        await send(message)

    return answer


def _is_plain_json(start: Message) -> bool:
    headers = dict(start["headers"])
    kind = headers.get(b"content-type", b"")
    return (
        start["status"] == 200
        and kind.startswith(b"application/json")
        and b"content-encoding" not in headers
    )


def _replaced(
    headers: list[tuple[bytes, bytes]], more: list[tuple[bytes, bytes]]
) -> list[tuple[bytes, bytes]]:
    names = {name for name, _ in more}
    return [*(each for each in headers if each[0] not in names - {b"vary"}), *more]
