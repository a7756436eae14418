"""A raw HTTP connection and a small application to test it with."""

import asyncio
from contextlib import suppress

from quartet.kernel.asgi import Receive, Scope, Send, send_json

# The head of a request, without the empty line at its end.
GET = b"GET / HTTP/1.1\r\nHost: x\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"


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


class RawConnection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self.writer = reader, writer

    async def answer(self) -> bytes:
        head = await self._reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 "), head
        [length] = [each[16:] for each in head.splitlines() if each.startswith(b"content-length: ")]
        return await self._reader.readexactly(int(length))

    async def rest(self) -> bytes:
        return await asyncio.wait_for(self._reader.read(), 60)

    async def end(self) -> None:
        # Unread bytes at the time of the close cause a reset.
        with suppress(ConnectionResetError):
            assert await self.rest() == b""
