from typing import Any

from litestar import websocket
from litestar.exceptions import WebSocketDisconnect

from quartet.kernel.auth import client_key
from quartet.kernel.service import header
from quartet.kernel.web import PUBLIC, Injected, WebSocket
from quartet.sync.agents.service import Agents
from quartet.sync.agents.types import Gone

# Policy: what is wrong stands in `rejected`.
CLOSED = 1008


class SocketLine:
    __slots__ = ("_socket", "host", "peer")

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self.peer = client_key(socket)
        self.host = header(socket, "host")

    async def send(self, text: str) -> None:
        try:
            await self._socket.send_text(text)
        except (OSError, WebSocketDisconnect):
            raise Gone from None

    async def receive(self) -> str | bytes:
        message: Any = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise Gone
        # A message is text; nothing here reads bytes, so they are no message.
        text: str = message.get("text") or ""
        return text

    async def close(self) -> None:
        try:
            await self._socket.close(CLOSED)
        except (OSError, WebSocketDisconnect):
            raise Gone from None


@websocket("/api/agent/ws", **PUBLIC)
async def agent_socket(socket: WebSocket, agents: Injected[Agents]) -> None:
    """Agents sign in with their key; the messages are those of the agent protocol."""
    await socket.accept()
    line = SocketLine(socket)
    # Thousands stay open for days, and nobody asks for their headers again.
    socket.scope["headers"] = []
    await agents.serve(line)


ROUTES = [agent_socket]
