"""The inbox of a WebSocket keeps the order of messages and serves one reader."""

import asyncio

import pytest

from quartet.kernel.websocket_protocol import Inbox

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
