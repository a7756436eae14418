from base64 import urlsafe_b64decode
from collections.abc import Callable
from typing import Annotated, Any

from litestar import get, post, websocket
from litestar.exceptions import WebSocketDisconnect
from litestar.params import FromPath, QueryParameter

from quartet.kernel.auth import client_key
from quartet.kernel.errors import AppError
from quartet.kernel.service import header
from quartet.kernel.web import PUBLIC, Injected, JSONBody, WebSocket
from quartet.sync.agents.adoption import Adoption
from quartet.sync.agents.service import Agents
from quartet.sync.agents.tunnels import Tunnels
from quartet.sync.agents.types import DeviceFolders, Disconnected, FoundPatterns
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.types.shares import Draft
from quartet.sync.protocol.limits import NONCE_BYTES, PATH_CHARS

# Policy violation; the preceding `rejected` message has the reason.
CLOSED = 1008


class LitestarSocket:
    __slots__ = ("_socket", "host", "nonce", "peer", "send_now")

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        # The kernel's; see `WebSocketProtocol.write_text`.
        self.send_now: Callable[[str], bool] = socket.scope["write_text"]  # type: ignore[typeddict-item]
        self.peer = client_key(socket)
        self.host = header(socket, "host")
        self.nonce = _nonce(socket.query_params.get("nonce", ""))

    async def send(self, text: str) -> None:
        if self.send_now(text):
            return
        try:
            await self._socket.send_text(text)
        except (OSError, WebSocketDisconnect):
            raise Disconnected from None

    async def receive(self) -> str | bytes:
        message: Any = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise Disconnected
        # Binary frames are not part of the protocol and count as empty messages.
        text: str = message.get("text") or ""
        return text

    async def send_bytes(self, data: bytes) -> None:
        try:
            await self._socket.send_bytes(data)
        except (OSError, WebSocketDisconnect):
            raise Disconnected from None

    async def receive_bytes(self) -> bytes:
        message: Any = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise Disconnected
        data: bytes = message.get("bytes") or b""
        return data

    async def close(self) -> None:
        try:
            await self._socket.close(CLOSED)
        except (OSError, WebSocketDisconnect):
            raise Disconnected from None


def _nonce(text: str) -> bytes:
    try:
        nonce = urlsafe_b64decode(text)
    except ValueError:
        return b""
    return nonce if len(nonce) == NONCE_BYTES else b""


@websocket("/api/agent/ws", **PUBLIC)
async def agent_socket(socket: WebSocket, agents: Injected[Agents]) -> None:
    """Agent protocol; agents authenticate with their key."""
    await socket.accept()
    agent = LitestarSocket(socket)
    # Free the headers: thousands of sockets stay open for days.
    socket.scope["headers"] = []
    await agents.serve(agent)


@websocket("/api/agent/tunnel", **PUBLIC)
async def agent_tunnel(socket: WebSocket, tunnels: Injected[Tunnels]) -> None:
    """Carry a connection of a device's engine to its hub; agents authenticate with their key."""
    await socket.accept()
    await tunnels.serve(LitestarSocket(socket))


@post("/api/shares/patterns", status_code=200)
async def find_patterns(data: JSONBody[Draft], adoption: Injected[Adoption]) -> list[FoundPatterns]:
    """Return the ignore patterns that already exist in the new folders of a draft."""
    return await adoption.find(data)


@get("/api/devices/{device_id:int}/folders")
async def browse_device(
    device_id: FromPath[int],
    revisions: Injected[Revisions],
    agents: Injected[Agents],
    path: Annotated[str, QueryParameter(max_length=PATH_CHARS)] = "",
) -> DeviceFolders:
    """List the folders in a folder of a connected device, or its places without a `path`.

    The owner of the device decides which folders can be listed. Files are never listed.
    """
    if device_id not in revisions.current.devices:
        raise AppError(404, "device_not_found", id=device_id)
    return await agents.questions.browse(device_id, path)


ROUTES = [agent_socket, agent_tunnel, find_patterns, browse_device]
