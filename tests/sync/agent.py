"""A scripted agent on a real socket."""

import asyncio
import secrets
from base64 import urlsafe_b64encode
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.x509.oid import NameOID
from websockets.asyncio.client import ClientConnection, connect

from quartet.sync.protocol import (
    Challenge,
    DesiredState,
    EngineKey,
    FromAgent,
    FromServer,
    Hello,
    Rejected,
    Welcome,
    decode_from_server,
    dialled_address,
    encode,
    engine_id_of,
    fingerprint,
    sign,
)
from quartet.sync.protocol.limits import NONCE_BYTES

M = TypeVar("M", bound=FromServer)
SECONDS = 60.0


def new_engine_key() -> EngineKey:
    """Create a key and certificate as an engine does at its first start."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "syncthing")])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder(
        name, name, key.public_key(), x509.random_serial_number(), now, now + timedelta(days=1)
    ).sign(key, hashes.SHA256())
    return EngineKey(made.public_bytes(serialization.Encoding.DER), key)


def engine_id() -> str:
    return engine_id_of(secrets.token_bytes(32))


class Agent:
    """A scripted agent; `fields` override those of its hello.

    It behaves like an agent of an older version unless `nonce` is set.
    """

    def __init__(self, server: str, *, nonce: bool = False, **fields: Any) -> None:
        self.server = server
        self.nonce = secrets.token_bytes(NONCE_BYTES) if nonce else b""
        self.key = Ed25519PrivateKey.generate()
        self.engine = new_engine_key()
        self.fields = fields
        self.socket: ClientConnection
        self.challenge: Challenge

    @property
    def engine_id(self) -> str:
        return engine_id_of(self.engine.certificate)

    @property
    def public_key(self) -> bytes:
        return self.key.public_key().public_bytes_raw()

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.public_key)

    async def dial(self) -> None:
        address = self.server.replace("http", "ws", 1) + "/api/agent/ws"
        if self.nonce:
            address += f"?nonce={quote(urlsafe_b64encode(self.nonce))}"
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
        hello = self.engine.prove(self.challenge, Hello(**values))
        signature = sign(self.key, self.challenge, hello)
        return msgspec.structs.replace(hello, signature=values["signature"] or signature)

    async def greet(self, **fields: Any) -> None:
        await self.dial()
        await self.say(self.hello(**fields))

    async def join(self, code: str | None = None, **fields: Any) -> int:
        """Sign in and receive the first desired state; return the device id."""
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
        """Return the desired state of this revision or a later one."""
        while (state := await self.receive(DesiredState)).revision < revision:
            pass
        return state

    async def rejected(self) -> str:
        """Return the code of the rejection; skip earlier messages."""
        async with asyncio.timeout(SECONDS):
            while not isinstance(message := decode_from_server(await self.socket.recv()), Rejected):
                pass
            await self.socket.wait_closed()
        return message.code

    async def leave(self) -> None:
        await self.socket.close()
