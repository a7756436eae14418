"""The SSE response, tested at the ASGI level."""

import asyncio
from typing import Any

import pytest
from litestar import Litestar, Request, get

from quartet.kernel.events import EventHub, EventStream, sse
from tests.kernel.events.helpers import Note

pytestmark = pytest.mark.anyio


class Browser:
    """One request for the stream; `send` blocks for a client that does not read."""

    def __init__(self, hub: EventHub, last_id: str | None = None, **options: Any) -> None:
        @get("/events")
        async def events(request: Request[Any, Any, Any]) -> EventStream:
            return sse(hub, request, **options)

        self.sent: asyncio.Queue[Any] = asyncio.Queue()
        self.left = asyncio.Event()
        self.reading = asyncio.Event()
        self.reading.set()
        headers = [(b"last-event-id", last_id.encode())] if last_id else []
        scope: Any = {
            "type": "http",
            "method": "GET",
            "path": "/events",
            "raw_path": b"/events",
            "query_string": b"",
            "headers": headers,
        }
        app = Litestar([events], openapi_config=None, logging_config=None)
        self.task = asyncio.create_task(app(scope, self._receive, self._send))
        self._asked = False

    async def _receive(self) -> Any:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        waits = [asyncio.create_task(event.wait()) for event in (self.reading, self.left)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        self.sent.put_nowait(message)

    async def next(self) -> Any:
        return await asyncio.wait_for(self.sent.get(), 60)

    async def body(self) -> bytes:
        body: bytes = (await self.next())["body"]
        return body

    async def ended(self) -> None:
        await asyncio.wait_for(self.task, 60)


async def test_stream_sends_headers_greeting_and_frames(hub: EventHub) -> None:
    browser = Browser(hub, first=lambda: Note(0))
    start = await browser.next()
    assert start["status"] == 200
    headers = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    assert headers["content-type"] == "text/event-stream; charset=utf-8"
    assert headers["cache-control"] == "no-store, no-transform"
    assert headers["x-accel-buffering"] == "no"
    assert "content-length" not in headers
    hello, first, rest = (await browser.body()).split(b"\n\n")
    assert hello.startswith(b"retry: 3000\nid: ")
    assert hello.endswith(b"\n: hello")
    assert first == b'event: note.added\ndata: {"type":"note.added","noteId":0,"text":""}'
    assert rest == b""
    hub.publish(Note(1))
    id_line, event, data, *_ = (await browser.body()).split(b"\n")
    assert id_line.startswith(b"id: ")
    assert event == b"event: note.added"
    assert data == b'data: {"type":"note.added","noteId":1,"text":""}'
    hub.close()
    assert await browser.next() == {"type": "http.response.body", "body": b"", "more_body": False}
    await browser.ended()
    assert hub.streams == 0


async def test_stream_sends_comment_when_idle(hub: EventHub) -> None:
    browser = Browser(hub, ping=0.01)
    await browser.next()
    await browser.body()
    assert await browser.body() == b": ping\n\n"
    assert await browser.body() == b": ping\n\n"
    hub.close()
    await browser.ended()


async def test_waiting_frames_are_sent_in_one_message(hub: EventHub) -> None:
    browser = Browser(hub)
    await browser.next()
    await browser.body()
    for number in range(5):
        hub.publish(Note(number))
    assert (await browser.body()).count(b"event: note") == 5
    hub.close()
    await browser.ended()


async def test_stream_resumes_after_last_event_id(hub: EventHub) -> None:
    browser = Browser(hub)
    await browser.next()
    position = (await browser.body()).split(b"\n")[1].removeprefix(b"id: ").decode()
    hub.publish(Note(1))
    await browser.body()
    browser.left.set()
    await browser.ended()
    again = Browser(hub, last_id=position)
    await again.next()
    assert await again.body() == b"retry: 3000\n: hello\n\n"
    assert b'"noteId":1' in await again.body()
    hub.close()
    await again.ended()


async def test_disconnected_client_is_removed_at_once(hub: EventHub) -> None:
    browser = Browser(hub)
    await browser.next()
    await browser.body()
    assert hub.streams == 1
    browser.left.set()
    await browser.ended()
    assert hub.streams == 0


async def test_client_that_does_not_read_has_bounded_queue_and_can_disconnect(
    hub: EventHub,
) -> None:
    browser = Browser(hub)
    await browser.next()
    await browser.body()
    browser.reading.clear()
    async with hub.subscribe() as witness:
        for number in range(100):
            hub.publish(Note(number))
            await anext(witness)
    browser.reading.set()
    assert b'"noteId":0,' in await browser.body()
    assert b"event: resync" in await browser.body()
    browser.reading.clear()
    hub.publish(Note(1))
    browser.left.set()
    await browser.ended()
    assert hub.streams == 0
