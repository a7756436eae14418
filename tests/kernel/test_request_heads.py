"""Limits on the size and duration of request heads; bodies are not affected."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from quartet.kernel.http_protocol import MAX_HEAD_BYTES
from tests.kernel.raw_http import GET, POST, RawConnection

pytestmark = pytest.mark.anyio

BODY = b"x" * 200_000
REFUSED = b"HTTP/1.1 400 "


@pytest.fixture
async def connection(port: int) -> AsyncIterator[RawConnection]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    yield RawConnection(reader, writer)
    writer.close()


async def test_long_body_may_arrive_with_its_head(connection: RawConnection) -> None:
    for _ in range(3):
        connection.writer.write(POST % len(BODY) + BODY)
        assert await connection.answer() == b"200000"


async def test_long_body_may_arrive_between_two_heads(connection: RawConnection) -> None:
    connection.writer.write(POST % len(BODY) + BODY + GET)
    assert await connection.answer() == b"200000"
    connection.writer.write(b"\r\n")
    assert await connection.answer() == b"0"


@pytest.mark.parametrize("first", [b"", GET + b"\r\n"])
async def test_oversized_head_is_rejected(connection: RawConnection, first: bytes) -> None:
    """Tried on a new connection and on one that was used before."""
    if first:
        connection.writer.write(first)
        assert await connection.answer() == b"0"
    connection.writer.write(GET + b"X-Long: %b\r\n\r\n" % b"x".ljust(MAX_HEAD_BYTES, b"x"))
    assert (await connection.rest()).startswith(REFUSED)


async def test_oversized_head_in_small_pieces_is_rejected(connection: RawConnection) -> None:
    # Exceed the limit with the last byte, so that no unread byte causes a reset.
    connection.writer.write(GET)
    for _ in range((MAX_HEAD_BYTES - len(GET)) // 1024):
        connection.writer.write(b"X-More: ".ljust(1022, b"x") + b"\r\n")
        await connection.writer.drain()
    connection.writer.write(b"x" * 1024)
    assert (await connection.rest()).startswith(REFUSED)


@pytest.mark.usefixtures("short_timeouts")
@pytest.mark.parametrize("sent", [b"", b"GET / HT", GET])
async def test_incomplete_head_is_disconnected(port: int, sent: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    await RawConnection(reader, writer).end()
    writer.close()


@pytest.mark.usefixtures("short_timeouts")
async def test_slow_drip_of_second_request_head_is_disconnected(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    connection = RawConnection(reader, writer)
    writer.write(GET + b"\r\n" + GET)
    assert await connection.answer() == b"0"

    async def drip() -> None:
        while True:
            writer.write(b"X-More: 1\r\n")
            await asyncio.sleep(0.05)

    dripping = asyncio.create_task(drip())
    await connection.end()
    dripping.cancel()
    writer.close()


@pytest.mark.usefixtures("short_timeouts")
async def test_waiting_for_response_or_next_request_is_not_disconnected(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    connection = RawConnection(reader, writer)
    for _ in range(2):
        writer.write(GET.replace(b"/ ", b"/slow ") + b"\r\n")
        assert await connection.answer() == b"0"
        await asyncio.sleep(0.4)
    writer.close()
