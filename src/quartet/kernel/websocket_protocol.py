"""uvicorn's WebSocket protocol with less memory, because thousands of sockets may be open."""

import asyncio
from collections import deque
from typing import Any
from weakref import WeakKeyDictionary

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.protocol import OPEN

# Readers that handle a message in one iteration of the event loop. Thousands of agents answer at
# the same time, and a request of a browser needs about ten iterations.
READERS = 16


class Waker:
    """Wakes waiting readers in small groups, one group in each iteration of the event loop."""

    def __init__(self) -> None:
        self._readers: deque[asyncio.Future[None]] = deque()
        self._scheduled = False

    def add(self, reader: asyncio.Future[None]) -> None:
        self._readers.append(reader)
        if not self._scheduled:
            self._scheduled = True
            reader.get_loop().call_soon(self._wake)

    def _wake(self) -> None:
        self._scheduled = bool(self._readers)
        for _ in range(min(READERS, len(self._readers))):
            reader = self._readers.popleft()
            if not reader.done():
                reader.set_result(None)
        if self._scheduled:
            # After these readers: messages that arrive in the meantime belong to the next group.
            asyncio.get_running_loop().call_soon(self._wake)


class Inbox:
    """Received messages for one reader. An `asyncio.Queue` needs three kilobytes more."""

    __slots__ = ("_messages", "_reader", "_waker")
    # One for each event loop.
    _wakers: WeakKeyDictionary[asyncio.AbstractEventLoop, Waker] = WeakKeyDictionary()

    def __init__(self) -> None:
        self._waker = self._wakers.setdefault(asyncio.get_running_loop(), Waker())
        # uvicorn stops reading while a message waits, so there are never many.
        self._messages: list[Any] = []
        self._reader: asyncio.Future[None] | None = None

    def put_nowait(self, message: Any) -> None:
        self._messages.append(message)
        if self._reader is not None and not self._reader.done():
            self._waker.add(self._reader)

    def empty(self) -> bool:
        return not self._messages

    async def get(self) -> Any:
        while not self._messages:
            if self._reader is not None:
                raise RuntimeError("another task is reading from this socket")
            self._reader = asyncio.get_running_loop().create_future()
            try:
                await self._reader
            finally:
                self._reader = None
        return self._messages.pop(0)


class WebSocketProtocol(WebSocketsSansIOProtocol):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.queue = Inbox()  # type: ignore[assignment]

    def start_keepalive(self) -> None:
        """Called when the handshake is complete: forget its headers."""
        super().start_keepalive()
        del self.request, self.response

    async def run_asgi(self) -> None:
        # For messages that need not wait; see `write_text`.
        self.scope["write_text"] = self.write_text  # type: ignore[typeddict-unknown-key]
        await super().run_asgi()

    def write_text(self, text: str) -> bool:
        """Send a text message at once, without the layers above, which do nothing with it.

        Return False if the application must send it: the client does not read, or is leaving.
        """
        if not self.handshake_complete or self.close_sent or self.disconnected:
            return False
        if self.conn.state is not OPEN or self.conn.extensions or not self.writable.is_set():
            return False
        data = text.encode()
        self.transport.write(_text_head(len(data)) + data)
        return True


def _text_head(size: int) -> bytes:
    """Return the head of an unmasked frame that contains a whole text message (RFC 6455, 5.2)."""
    if size < 126:
        return bytes((0x81, size))
    if size < 65_536:
        return b"\x81\x7e" + size.to_bytes(2)
    return b"\x81\x7f" + size.to_bytes(8)
