"""Events as a WebSocket that only speaks."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import msgspec
from litestar import WebSocket
from litestar.exceptions import WebSocketDisconnect

from quartet.kernel.events.hub import Hub, Subscription
from quartet.kernel.events.types import Event

Socket = WebSocket[Any, Any, Any]

FOREIGN_ORIGIN = 4403
RESTART = 1012
TOO_MUCH = 1008
TOO_LARGE = 1009

# A listener has nothing to say; a few small messages are let pass and ignored.
MESSAGE_LENGTH = 4096
MESSAGES = 20
MESSAGES_SECONDS = 10.0


def same_origin(socket: Socket) -> bool:
    """Browsers always tell where a page comes from; what is no browser need not."""
    origin = socket.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == socket.headers.get("host")


async def websocket(
    hub: Hub,
    socket: Socket,
    *,
    allowed_origin: Callable[[Socket], bool] = same_origin,
    first: Callable[[], Event] | None = None,
) -> None:
    """Sends until the hub closes or the client leaves; `first` makes an event to begin with."""
    if not allowed_origin(socket):
        # Before it is accepted the server answers this with 403.
        await socket.close(FOREIGN_ORIGIN)
        return
    await socket.accept()
    async with hub.subscribe() as events:
        reader = asyncio.create_task(_read(socket, events))
        try:
            # Gone while we were sending: the reader will know.
            with suppress(OSError, WebSocketDisconnect):
                await _write(socket, events, first)
                await socket.close(reader.result() if reader.done() else RESTART)
        finally:
            reader.cancel()


async def _write(socket: Socket, events: Subscription, first: Callable[[], Event] | None) -> None:
    if first is not None:
        await socket.send_text(msgspec.json.encode(first()))
    async for frame in events:
        await socket.send_text(frame.data)


async def _read(socket: Socket, events: Subscription) -> int:
    """Listens only to know when the client leaves or misbehaves; the code to close with."""
    count, since = 0, time.monotonic()
    try:
        while True:
            message: Any = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return 1000
            if len(message.get("text") or message.get("bytes") or "") > MESSAGE_LENGTH:
                return TOO_LARGE
            if time.monotonic() - since > MESSAGES_SECONDS:
                count, since = 0, time.monotonic()
            count += 1
            if count > MESSAGES:
                return TOO_MUCH
    finally:
        events.end()
