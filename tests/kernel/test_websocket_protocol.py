"""The inbox of a WebSocket keeps the order of messages and serves one reader, and messages are sent
at once if the client reads.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import websockets
from uvicorn import Config
from uvicorn.server import ServerState

from quartet.kernel.websocket_protocol import READERS, Inbox, WebSocketProtocol

pytestmark = pytest.mark.anyio


async def test_inbox_keeps_order_and_wakes_its_reader() -> None:
    inbox = Inbox()
    reading = asyncio.create_task(inbox.get())
    await asyncio.sleep(0)
    assert inbox.empty()
    for number in range(3):
        inbox.put_nowait(number)
    assert [await reading, await inbox.get(), await inbox.get()] == [0, 1, 2]
    assert inbox.empty()


async def test_inbox_works_after_a_cancelled_read_and_refuses_two_readers() -> None:
    inbox = Inbox()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await inbox.get()
    reading = asyncio.create_task(inbox.get())
    await asyncio.sleep(0)
    with pytest.raises(RuntimeError):
        await inbox.get()
    inbox.put_nowait("message")
    assert await reading == "message"


async def test_other_work_continues_while_thousands_of_readers_have_messages() -> None:
    inboxes = [Inbox() for _ in range(1000)]
    reading = [asyncio.create_task(inbox.get()) for inbox in inboxes]
    await asyncio.sleep(0)
    for inbox in inboxes:
        inbox.put_nowait("message")
    finished, most = 0, 0
    while finished < len(inboxes):
        await asyncio.sleep(0)
        now = sum(each.done() for each in reading)
        finished, most = now, max(most, now - finished)
    assert 0 < most <= READERS


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
async def test_message_of_every_length_is_sent_at_once(size: int) -> None:
    async with served_text("ä" * (size // 2) + "a" * (size % 2)) as (sent, received):
        assert received == sent


@asynccontextmanager
async def served_text(text: str) -> AsyncIterator[tuple[str, str | bytes]]:
    """Let a server send the text with `write_text`; yield it with what a client has received."""
    answers: list[bool] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        answers.append(scope["write_text"](text))
        await send({"type": "websocket.accept"})
        answers.append(scope["write_text"](text))
        await send({"type": "websocket.close"})
        answers.append(scope["write_text"](text))

    config = Config(app, ws_per_message_deflate=False, lifespan="off")
    config.load()
    loop, state = asyncio.get_running_loop(), ServerState()
    server = await loop.create_server(lambda: WebSocketProtocol(config, state, {}), "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        async with websockets.connect(f"ws://127.0.0.1:{port}") as client:
            received = await client.recv()
        yield text, received
    # Neither before the handshake nor after the end.
    assert answers == [False, True, False]
