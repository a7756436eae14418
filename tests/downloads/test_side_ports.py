"""The ports besides that of the web UI close the connections of slow clients."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from quartet.downloads import side_ports
from quartet.kernel import http_protocol

pytestmark = pytest.mark.anyio

HEAD = b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n"


@pytest.fixture
async def port(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[int]:
    async def echo(request: web.Request) -> web.Response:
        return web.Response(body=await request.read())

    monkeypatch.setattr(side_ports, "HEAD_SECONDS", 0.2)
    monkeypatch.setattr(side_ports, "TICK_SECONDS", 0.02)
    monkeypatch.setattr(http_protocol, "BODY_GRACE_SECONDS", 0.2)
    monkeypatch.setattr(http_protocol, "BODY_WINDOW_SECONDS", 0.1)
    app = web.Application()
    app.router.add_post("/x", echo)
    async with side_ports.listening(app, "127.0.0.1", 0) as port:
        yield port


@pytest.mark.parametrize("sent", [b"", HEAD[:20], HEAD, HEAD + b"half a body"])
async def test_half_sent_request_is_closed(
    port: int, sent: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    async with asyncio.timeout(60):
        assert await reader.read() == b""
    writer.close()
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []


async def test_complete_request_is_answered(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(HEAD + b"x" * 1000)
    assert (await reader.readline()).startswith(b"HTTP/1.1 200")
    writer.close()
