"""Streams events as Server-Sent Events."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from litestar import Request
from litestar.response.base import ASGIResponse
from litestar.types import Receive, Send

from quartet.kernel.events.hub import EventHub, Subscription
from quartet.kernel.events.types import Event, sse_block

RETRY_MILLISECONDS = 3000
PING_SECONDS = 15.0
PING = b": ping\n\n"


Allowed = Callable[[], Awaitable[bool]]


async def _always() -> bool:
    return True


def sse(
    hub: EventHub,
    request: Request[Any, Any, Any],
    *,
    first: Callable[[], Event] | None = None,
    ping: float = PING_SECONDS,
) -> "EventStream":
    """Stream events until the hub closes, the client disconnects or signs out.

    `first` returns an event to send at the beginning.
    """
    events = hub.subscribe(request.headers.get("last-event-id"))
    # Set by the access middleware; public streams have none.
    allowed = request.scope["state"].get("still_allowed", _always)
    return EventStream(events, first, ping, allowed)


class EventStream(ASGIResponse):
    _should_set_content_length = False

    def __init__(
        self,
        events: Subscription,
        first: Callable[[], Event] | None,
        ping: float,
        allowed: Allowed,
    ) -> None:
        super().__init__(
            media_type="text/event-stream",
            headers={"cache-control": "no-store, no-transform", "x-accel-buffering": "no"},
        )
        self._events = events
        self._first = first
        self._ping = ping
        self._allowed = allowed

    async def send_body(self, send: Send, receive: Receive) -> None:
        async with self._events:
            watcher = asyncio.create_task(_end_when_gone(receive, self._events))
            try:
                await self._write(send)
            finally:
                watcher.cancel()

    async def _write(self, send: Send) -> None:
        await _send(send, self._hello())
        while True:
            frames = await self._events.batch(self._ping)
            if self._events.closed or not await self._allowed():
                break
            await _send(send, b"".join([frame.sse for frame in frames]) or PING)
        await _send(send, b"", more=False)

    def _hello(self) -> bytes:
        hello = b"retry: %d\n" % RETRY_MILLISECONDS
        if self._events.last_event_id is None:
            # Lets a client resume even if it is disconnected before its first event.
            hello += b"id: %b\n" % self._events.position.encode()
        hello += b": hello\n\n"
        return hello + sse_block(self._first()) if self._first else hello


async def _send(send: Send, body: bytes, *, more: bool = True) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": more})


async def _end_when_gone(receive: Receive, events: Subscription) -> None:
    # The server releases a writer blocked in `send` when the connection closes.
    while (await receive())["type"] != "http.disconnect":
        pass
    events.end()
