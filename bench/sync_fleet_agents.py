"""Many agents in one process, controlled through standard input: `connect`, `online`, `acknowledged
3`.

The protocol and the reconnect delay are the real ones. The WebSocket frames are built here, because
a client library would need more CPU time than the server that is measured.
"""

import asyncio
import resource
import sys
from typing import Any

import msgspec
import uvloop
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from quartet.sync.agent.client import OPEN_SECONDS, jittered
from quartet.sync.protocol import (
    Applied,
    Challenge,
    DesiredState,
    Hello,
    SignedState,
    Welcome,
    decode_from_server,
    decode_signed,
    encode,
    sign,
)
from quartet.sync.protocol.engine_ids import check_letter
from quartet.sync.protocol.limits import RECONNECT_FIRST_SECONDS, RECONNECT_MOST_SECONDS

HOST = "127.0.0.1"
TEXT, CLOSE, PING, PONG = 0x1, 0x8, 0x9, 0xA
NONCE = "A" * 43 + "%3D"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


def key_of(number: int) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(b"quartet agent".ljust(28) + number.to_bytes(4))


def engine_id_of(number: int) -> str:
    """Return a valid engine id with correct check letters."""
    digits = "".join(LETTERS[number >> shift & 31] for shift in range(0, 20, 5))
    chunks = [digits.ljust(13, "A"), *(["A" * 13] * 3)]
    letters = "".join(chunk + check_letter(chunk) for chunk in chunks)
    return "-".join(letters[start : start + 7] for start in range(0, 56, 7))


def raise_limit() -> None:
    """Allow one file descriptor for each agent."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class Fleet:
    def __init__(self, port: int, size: int, first: int) -> None:
        self.port = port
        self.agents = [Agent(self, first + number) for number in range(size)]
        self.online = 0
        self.revision = 0
        self.behind = size
        self.lost = 0
        self.changed = asyncio.Event()

    def connect(self) -> None:
        for agent in self.agents:
            agent.retry()

    async def until(self, done: Any) -> None:
        while not done():
            self.changed.clear()
            await self.changed.wait()

    async def acknowledged(self, revision: int) -> None:
        await self.until(lambda: all(each.revision >= revision for each in self.agents))


class Agent(asyncio.Protocol):
    """One device; it is its own asyncio protocol."""

    def __init__(self, fleet: Fleet, number: int) -> None:
        self._fleet = fleet
        self._key = key_of(number)
        self._public = self._key.public_key().public_bytes_raw()
        self._engine_id = engine_id_of(number)
        self._delay: float = RECONNECT_FIRST_SECONDS
        self._transport: Any = None
        self._upgraded = self._online = False
        self._data = b""
        self.revision = 0

    def retry(self) -> None:
        pause = jittered(self._delay)
        self._delay = min(self._delay * 2, RECONNECT_MOST_SECONDS)
        asyncio.get_running_loop().call_later(pause, lambda: _tasks.add(self._connect_task()))

    def _connect_task(self) -> asyncio.Task[None]:
        task = asyncio.create_task(self._connect())
        task.add_done_callback(_tasks.discard)
        return task

    async def _connect(self) -> None:
        try:
            async with asyncio.timeout(OPEN_SECONDS):
                loop = asyncio.get_running_loop()
                await loop.create_connection(lambda: self, HOST, self._fleet.port)
        except (OSError, TimeoutError):
            self.retry()

    def connection_made(self, transport: Any) -> None:
        self._transport, self._data, self._upgraded = transport, b"", False
        transport.write(
            f"GET /api/agent/ws?nonce={NONCE} HTTP/1.1\r\nHost: {HOST}:{self._fleet.port}\r\n"
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )

    def connection_lost(self, _error: Exception | None) -> None:
        self._transport = None
        self._fleet.lost += 1
        if self._online:
            self._online = False
            self._delay = RECONNECT_FIRST_SECONDS
            self._fleet.online -= 1
        self.retry()

    def data_received(self, data: bytes) -> None:
        self._data += data
        if not self._upgraded:
            head, end, rest = self._data.partition(b"\r\n\r\n")
            if not end:
                return
            if not head.startswith(b"HTTP/1.1 101"):
                self._transport.abort()
                return
            self._upgraded, self._data = True, rest
        while (frame := self._next_frame()) is not None:
            self._handle_frame(*frame)

    def _next_frame(self) -> tuple[int, bytes] | None:
        data = self._data
        if len(data) < 2:
            return None
        size, start = data[1], 2
        if size >= 126:
            start = 4 if size == 126 else 10
            size = int.from_bytes(data[2:start])
        if len(data) < start + size:
            return None
        self._data = data[start + size :]
        return data[0] & 0xF, data[start : start + size]

    def _handle_frame(self, kind: int, body: bytes) -> None:
        if kind == TEXT:
            self._handle(decode_from_server(body))
        elif kind == PING:
            self._send(PONG, body)
        elif kind == CLOSE:
            self._transport.close()

    def _handle(self, message: Any) -> None:
        match message:
            case Challenge():
                self._send_message(self._hello(message))
            case Welcome():
                self._online = True
                self._delay = RECONNECT_FIRST_SECONDS
                self._fleet.online += 1
                self._fleet.changed.set()
            case SignedState():
                # Verifying the signature would take the CPU time that is measured.
                state = decode_signed(message.state)
                assert isinstance(state, DesiredState)
                self.revision = state.revision
                self._send_message(Applied(self.revision))
                self._fleet.changed.set()
            case _:
                self._transport.abort()

    def _hello(self, challenge: Challenge) -> Hello:
        hello = Hello(
            public_key=self._public,
            address=f"{HOST}:{self._fleet.port}",
            host_name="laptop",
            os="linux",
            agent_version="1.0.0",
            engine_version="v1.19.2",
            engine_id=self._engine_id,
            signature=b"",
        )
        return msgspec.structs.replace(hello, signature=sign(self._key, challenge, hello))

    def _send_message(self, message: Any) -> None:
        self._send(TEXT, encode(message).encode())

    def _send(self, kind: int, body: bytes) -> None:
        """Send a frame with a mask of zeros, which leaves the body unchanged."""
        size = len(body)
        head = bytes([0x80 | size]) if size < 126 else b"\xfe" + size.to_bytes(2)
        self._transport.write(bytes([0x80 | kind]) + head + bytes(4) + body)


_tasks: set[asyncio.Task[None]] = set()


async def main(port: int, size: int, first: int = 0) -> None:
    raise_limit()
    fleet = Fleet(port, size, first)
    loop = asyncio.get_running_loop()
    reply(ready=True)
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        word, _, number = line.partition(" ")
        if word == "connect\n":
            fleet.connect()
        elif word == "online\n":
            await fleet.until(lambda: fleet.online == size)
            reply(online=size, lost=fleet.lost)
        elif word == "offline\n":
            await fleet.until(lambda: fleet.online == 0)
            reply(online=0)
        elif word == "acknowledged":
            await fleet.acknowledged(int(number))
            reply(revision=int(number))


def reply(**values: Any) -> None:
    print(msgspec.json.encode(values).decode(), flush=True)


if __name__ == "__main__":
    uvloop.run(main(*map(int, sys.argv[1:])))
