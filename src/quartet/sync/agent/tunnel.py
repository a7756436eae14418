"""A local port from which the engine reaches its hub through the control server."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import WebSocketException

from quartet.sync.agent.errors import HandshakeError
from quartet.sync.piping import CarriedBytes, carry, close
from quartet.sync.protocol import BadMessageError, TunnelStatus
from quartet.sync.protocol.limits import TUNNELS_PER_DEVICE

log = logging.getLogger("quartet.sync.agent")

# Signs in to the control server and returns the socket of a new tunnel.
OpenTunnel = Callable[[], AbstractAsyncContextManager[ClientConnection]]

FAILURES = (OSError, TimeoutError, WebSocketException, BadMessageError, HandshakeError)
# One tunnel is left for the test whether it works.
MOST_CONNECTIONS = TUNNELS_PER_DEVICE - 1


class HubTunnel:
    """Listens on loopback only. Other programs of the device could use the port, but not without
    the key of an engine that the hub knows.
    """

    def __init__(self, open_tunnel: OpenTunnel) -> None:
        self._open_tunnel = open_tunnel
        self._server: asyncio.Server | None = None
        self._carried = CarriedBytes()
        self._connections: set[asyncio.Task[None]] = set()
        # Called when a connection has ended.
        self.on_end: Callable[[], None] = lambda: None

    @property
    def address(self) -> str:
        assert self._server is not None  # noqa: S101
        return f"tcp://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    @property
    def status(self) -> TunnelStatus:
        return TunnelStatus(len(self._connections), self._carried.sent, self._carried.received)

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        try:
            yield
        finally:
            self._server.close()
            await self.close_connections()

    async def works(self) -> bool:
        """Return True if the server can reach the hub."""
        try:
            async with self._open_tunnel():
                return True
        except FAILURES as error:
            log.debug("no tunnel to the hub: %s", error)
            return False

    async def close_connections(self) -> None:
        open_ones = list(self._connections)
        for each in open_ones:
            each.cancel()
        await asyncio.gather(*open_ones, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._connections) >= MOST_CONNECTIONS:
            writer.transport.abort()
            return
        task = asyncio.ensure_future(self._carry(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._ended)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with self._open_tunnel() as line:
                await carry(reader, writer, _Frames(line), self._carried)
        except FAILURES as error:
            log.debug("tunnel closed: %s", error)
        finally:
            await close(writer)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._connections.discard(task)
        self.on_end()


class _Frames:
    def __init__(self, line: ClientConnection) -> None:
        self._line = line

    async def send_bytes(self, data: bytes) -> None:
        await self._line.send(data)

    async def receive_bytes(self) -> bytes:
        data = await self._line.recv()
        if isinstance(data, str):
            raise BadMessageError("unexpected message")
        return data
