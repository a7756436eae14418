"""uvicorn's WebSocket protocol with less memory, because thousands of sockets may be open."""

import asyncio
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol


class Inbox:
    """Received messages for one reader. An `asyncio.Queue` needs three kilobytes more."""

    __slots__ = ("_messages", "_reader")

    def __init__(self) -> None:
        # uvicorn stops reading while a message waits, so there are never many.
        self._messages: list[Any] = []
        self._reader: asyncio.Future[None] | None = None

    def put_nowait(self, message: Any) -> None:
        self._messages.append(message)
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

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
