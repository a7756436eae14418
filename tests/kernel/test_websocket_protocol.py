"""The inbox of a WebSocket keeps the order of messages and serves one reader."""

import asyncio

import pytest

from quartet.kernel.websocket_protocol import READERS, Inbox

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
