"""The WebSocket end, spoken to in ASGI."""

import asyncio
from typing import Any

import pytest
from litestar import Litestar, WebSocket
from litestar.handlers import websocket as websocket_route

from quartet.kernel.events import Hub, websocket
from tests.kernel.events.helpers import Note

pytestmark = pytest.mark.anyio


class Browser:
    def __init__(self, hub: Hub, origin: str | None = "http://wind.lan:8450", **rest: Any) -> None:
        @websocket_route("/ws")
        async def events(socket: WebSocket[Any, Any, Any]) -> None:
            await websocket(hub, socket, **rest)

        self.sent: asyncio.Queue[Any] = asyncio.Queue()
        self.says: asyncio.Queue[Any] = asyncio.Queue()
        self.says.put_nowait({"type": "websocket.connect"})
        headers = [(b"host", b"wind.lan:8450")]
        headers += [(b"origin", origin.encode())] if origin else []
        scope: Any = {
            "type": "websocket",
            "path": "/ws",
            "raw_path": b"/ws",
            "query_string": b"",
            "headers": headers,
            "subprotocols": [],
        }
        app = Litestar([events], openapi_config=None)
        self.task = asyncio.create_task(app(scope, self.says.get, self.sent.put))

    async def next(self) -> Any:
        return await asyncio.wait_for(self.sent.get(), 5)

    async def ended(self) -> None:
        await asyncio.wait_for(self.task, 5)


async def test_the_same_json_then_a_goodbye(hub: Hub) -> None:
    browser = Browser(hub, first=lambda: Note(0))
    assert (await browser.next())["type"] == "websocket.accept"
    assert (await browser.next())["text"] == '{"type":"note.added","noteId":0,"text":""}'
    hub.publish(Note(1))
    assert (await browser.next())["text"] == '{"type":"note.added","noteId":1,"text":""}'
    hub.close()
    goodbye = await browser.next()
    assert (goodbye["type"], goodbye["code"]) == ("websocket.close", 1012)
    await browser.ended()
    assert hub.streams == 0


@pytest.mark.parametrize("origin", ["http://evil.example", "http://wind.lan", "null"])
async def test_a_foreign_page_is_turned_away_before_it_is_accepted(hub: Hub, origin: str) -> None:
    browser = Browser(hub, origin)
    answer = await browser.next()
    assert (answer["type"], answer["code"]) == ("websocket.close", 4403)
    await browser.ended()
    assert hub.streams == 0


async def test_who_is_no_browser_may_come(hub: Hub) -> None:
    browser = Browser(hub, origin=None)
    assert (await browser.next())["type"] == "websocket.accept"
    hub.close()
    await browser.ended()


async def test_the_service_decides_which_pages_may(hub: Hub) -> None:
    browser = Browser(hub, "http://evil.example", allowed_origin=lambda socket: True)
    assert (await browser.next())["type"] == "websocket.accept"
    hub.close()
    await browser.ended()


@pytest.mark.parametrize(
    ("message", "count", "code"),
    [
        ({"type": "websocket.receive", "text": "x" * 5000}, 1, 1009),
        ({"type": "websocket.receive", "bytes": b"x" * 5000}, 1, 1009),
        ({"type": "websocket.receive", "text": "hi"}, 21, 1008),
    ],
)
async def test_who_talks_too_much_is_sent_away(
    hub: Hub, message: dict[str, Any], count: int, code: int
) -> None:
    browser = Browser(hub)
    await browser.next()
    for _ in range(count):
        browser.says.put_nowait(message)
    assert (await browser.next())["code"] == code
    await browser.ended()
    assert hub.streams == 0


async def test_who_leaves_is_forgotten_at_once(hub: Hub) -> None:
    browser = Browser(hub)
    await browser.next()
    browser.says.put_nowait({"type": "websocket.receive", "text": "hi"})
    browser.says.put_nowait({"type": "websocket.disconnect", "code": 1001})
    await browser.ended()
    assert hub.streams == 0
