"""Limits on the size and duration of request heads; bodies are not affected."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

from quartet.kernel import http_protocol, server
from quartet.kernel.edge import Receive, Scope, Send, send_json
from quartet.kernel.http_protocol import MAX_HEAD_BYTES
from quartet.kernel.server import ServedApp, Stop, serve

pytestmark = pytest.mark.anyio

GET = b"GET / HTTP/1.1\r\nHost: x\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"
BODY = b"x" * 200_000
REFUSED = b"HTTP/1.1 400 "


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Responds with the length of the body."""
    if scope["type"] == "lifespan":
        for _ in ("startup", "shutdown"):
            await send({"type": f"{(await receive())['type']}.complete"})
        return
    length, more = 0, True
    while more:
        message = await receive()
        length += len(message["body"])
        more = message["more_body"]
    if scope["path"] == "/slow":
        await asyncio.sleep(0.5)
    await send_json(send, 200, b"%d" % length)


class Line:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self.writer = reader, writer

    async def answer(self) -> bytes:
        head = await self._reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 "), head
        [length] = [line[16:] for line in head.splitlines() if line.startswith(b"content-length: ")]
        return await self._reader.readexactly(int(length))

    async def rest(self) -> bytes:
        return await asyncio.wait_for(self._reader.read(), 5)

    async def end(self) -> None:
        # Unread bytes at the time of the close cause a reset.
        with suppress(ConnectionResetError):
            assert await self.rest() == b""


@pytest.fixture
async def port() -> AsyncIterator[int]:
    stop, ports = Stop(), asyncio.Queue[int]()
    running = asyncio.create_task(
        serve(
            [ServedApp("heads", application)],
            stop=stop,
            ready=lambda apps: ports.put_nowait(apps[0].port),
        )
    )
    yield await ports.get()
    stop.request()
    assert await running == 0


@pytest.fixture
async def line(port: int) -> AsyncIterator[Line]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    yield Line(reader, writer)
    writer.close()


async def test_long_body_may_arrive_with_its_head(line: Line) -> None:
    for _ in range(3):
        line.writer.write(POST % len(BODY) + BODY)
        assert await line.answer() == b"200000"


async def test_long_body_may_arrive_between_two_heads(line: Line) -> None:
    line.writer.write(POST % len(BODY) + BODY + GET)
    assert await line.answer() == b"200000"
    line.writer.write(b"\r\n")
    assert await line.answer() == b"0"


@pytest.mark.parametrize("first", [b"", GET + b"\r\n"])
async def test_oversized_head_is_rejected(line: Line, first: bytes) -> None:
    """Tried on a new connection and on one that was used before."""
    if first:
        line.writer.write(first)
        assert await line.answer() == b"0"
    line.writer.write(GET + b"X-Long: %b\r\n\r\n" % b"x".ljust(MAX_HEAD_BYTES, b"x"))
    assert (await line.rest()).startswith(REFUSED)


async def test_oversized_head_in_small_pieces_is_rejected(line: Line) -> None:
    # Exceed the limit with the last byte, so that no unread byte causes a reset.
    line.writer.write(GET)
    for _ in range((MAX_HEAD_BYTES - len(GET)) // 1024):
        line.writer.write(b"X-More: ".ljust(1022, b"x") + b"\r\n")
        await line.writer.drain()
    line.writer.write(b"x" * 1024)
    assert (await line.rest()).startswith(REFUSED)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_protocol, "HEAD_SECONDS", 0.2)
    monkeypatch.setattr(server, "TICK_SECONDS", 0.02)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("sent", [b"", b"GET / HT", GET])
async def test_incomplete_head_is_disconnected(port: int, sent: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    await Line(reader, writer).end()
    writer.close()


@pytest.mark.usefixtures("hasty")
async def test_slow_drip_of_second_request_head_is_disconnected(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    line = Line(reader, writer)
    writer.write(GET + b"\r\n" + GET)
    assert await line.answer() == b"0"

    async def drip() -> None:
        while True:
            writer.write(b"X-More: 1\r\n")
            await asyncio.sleep(0.05)

    dripping = asyncio.create_task(drip())
    await line.end()
    dripping.cancel()
    writer.close()


@pytest.mark.usefixtures("hasty")
async def test_waiting_for_response_or_next_request_is_not_disconnected(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    line = Line(reader, writer)
    for _ in range(2):
        writer.write(GET.replace(b"/ ", b"/slow ") + b"\r\n")
        assert await line.answer() == b"0"
        await asyncio.sleep(0.4)
    writer.close()
