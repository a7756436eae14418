"""An agent that says what a test wants, over a real socket."""

import asyncio
import base64
import secrets
from typing import Any, TypeVar

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from websockets.asyncio.client import ClientConnection, connect

from quartet.sync.protocol import (
    Challenge,
    DesiredState,
    FromAgent,
    FromServer,
    Hello,
    Rejected,
    Welcome,
    decode_from_server,
    dialled_address,
    encode,
    fingerprint,
    sign,
)
from quartet.sync.protocol.engines import check_letter

M = TypeVar("M", bound=FromServer)
SECONDS = 10.0


def engine_id() -> str:
    """As an engine makes its own of its certificate."""
    data = base64.b32encode(secrets.token_bytes(32)).decode().rstrip("=")
    chunks = [data[start : start + 13] for start in range(0, 52, 13)]
    letters = "".join(chunk + check_letter(chunk) for chunk in chunks)
    return "-".join(letters[start : start + 7] for start in range(0, 56, 7))


class Agent:
    """`fields` replace those of its hello."""

    def __init__(self, server: str, **fields: Any) -> None:
        self.server = server
        self.key = Ed25519PrivateKey.generate()
        self.engine_id = engine_id()
        self.fields = fields
        self.socket: ClientConnection
        self.challenge: Challenge

    @property
    def public_key(self) -> bytes:
        return self.key.public_key().public_bytes_raw()

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.public_key)

    async def dial(self) -> None:
        address = self.server.replace("http", "ws", 1) + "/api/agent/ws"
        self.socket = await connect(address, max_size=None)
        self.challenge = await self.receive(Challenge)

    def hello(self, **fields: Any) -> Hello:
        values = {
            "public_key": self.public_key,
            "address": dialled_address(self.server),
            "host_name": "laptop",
            "os": "linux",
            "agent_version": "1.0",
            "engine_version": "v1.19.2",
            "engine_id": self.engine_id,
            "signature": b"",
            **self.fields,
            **fields,
        }
        hello = Hello(**values)
        signature = sign(self.key, self.challenge, hello)
        return msgspec.structs.replace(hello, signature=values["signature"] or signature)

    async def greet(self, **fields: Any) -> None:
        await self.dial()
        await self.say(self.hello(**fields))

    async def join(self, code: str | None = None, **fields: Any) -> int:
        """Until it has its first desired state; gives its device id."""
        await self.greet(code=code, **fields)
        return await self.welcomed()

    async def welcomed(self) -> int:
        welcome = await self.receive(Welcome)
        await self.receive(DesiredState)
        return welcome.device_id

    async def say(self, message: FromAgent) -> None:
        await self.socket.send(encode(message))

    async def receive(self, kind: type[M]) -> M:
        async with asyncio.timeout(SECONDS):
            message = decode_from_server(await self.socket.recv())
        assert isinstance(message, kind), message
        return message

    async def state(self, revision: int) -> DesiredState:
        """The desired state of this revision or a later one."""
        while (state := await self.receive(DesiredState)).revision < revision:
            pass
        return state

    async def rejected(self) -> str:
        """Why the server ends it; what came before is skipped."""
        async with asyncio.timeout(SECONDS):
            while not isinstance(message := decode_from_server(await self.socket.recv()), Rejected):
                pass
            await self.socket.wait_closed()
        return message.code

    async def leave(self) -> None:
        await self.socket.close()
