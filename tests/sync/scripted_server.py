"""A scripted server, and an agent with a real engine that joins it."""

import asyncio
import secrets
import time
from base64 import urlsafe_b64decode
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace
from websockets.asyncio.server import ServerConnection

from quartet.sync.agent.applier import DesiredStateApplier
from quartet.sync.agent.client import Client
from quartet.sync.agent.joining import join
from quartet.sync.agent.paths import PathPolicy
from quartet.sync.agent.store import Store
from quartet.sync.engine import Engine, EngineConfig
from quartet.sync.protocol import (
    Applied,
    Challenge,
    DesiredFolder,
    DesiredState,
    FolderStatus,
    Hello,
    KeyRotation,
    SignedState,
    Status,
    challenge_payload,
    decode_from_agent,
    decode_hello,
    encode,
    state_payload,
    verify,
)
from quartet.sync.protocol.message_types import Message

Talk = Callable[["ScriptConnection", Hello], Awaitable[None]]


class ScriptConnection:
    """The server's end of one connection."""

    def __init__(self, socket: ServerConnection) -> None:
        self._socket = socket
        # A folder's status may arrive before or after its state is applied.
        self.folders: dict[str, FolderStatus] = {}

    async def send(self, message: Message) -> None:
        await self._socket.send(encode(message))

    async def receive(self, kind: type[Any]) -> Any:
        while True:
            found = decode_from_agent(await asyncio.wait_for(self._socket.recv(), 60))
            if isinstance(found, Status):
                self.folders |= found.folders
            if isinstance(found, kind):
                return found

    async def closed(self) -> None:
        await self._socket.wait_closed()

    async def until(self, folder: str, *states: str) -> FolderStatus:
        while folder not in self.folders or (states and self.folders[folder].state not in states):
            await self.receive(Status)
        return self.folders[folder]


class Script:
    """A server that sends a challenge on every connection; `talk` handles the rest."""

    def __init__(self) -> None:
        self.identity = "server-one"
        # None for a server of an older version.
        self.key: Ed25519PrivateKey | None = None
        self.rotations: list[KeyRotation] = []
        self.dials = 0
        self.hellos: list[Hello] = []
        self.talk: Talk = _nothing
        self.done = asyncio.Event()
        self.errors: list[BaseException] = []
        self.url = ""
        self.clock: Callable[[], float] = time.time

    async def serve(self, socket: ServerConnection) -> None:
        self.dials += 1
        challenge = self._challenge(socket)
        await socket.send(encode(challenge))
        try:
            hello = decode_hello(await socket.recv())
            assert verify(challenge, hello)
            assert hello.address == self.url.removeprefix("http://")
            self.hellos.append(hello)
            await self.talk(ScriptConnection(socket), hello)
            self.done.set()
        except AssertionError as error:
            self.errors.append(error)
            self.done.set()

    def _challenge(self, socket: ServerConnection) -> Challenge:
        made = Challenge(secrets.token_bytes(32), self.identity, 1, int(self.clock()))
        if self.key is None:
            return made
        assert socket.request is not None
        [nonce] = parse_qs(urlsplit(socket.request.path).query)["nonce"]
        made = replace(made, server_key=public(self.key), rotations=self.rotations)
        payload = challenge_payload(made, urlsafe_b64decode(nonce))
        return replace(made, signature=self.key.sign(payload))

    def signed(self, hello: Hello, state: DesiredState) -> SignedState:
        assert self.key is not None
        text = encode(state)
        return SignedState(text, self.key.sign(state_payload(hello.public_key, text)))

    async def finished(self) -> None:
        await asyncio.wait_for(self.done.wait(), 60)
        assert self.errors == []


def public(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes_raw()


async def _nothing(line: ScriptConnection, hello: Hello) -> None:
    await line.receive(Applied)


@asynccontextmanager
async def agent(
    folder: Path, script: Script, engine: Engine, code: str | None = None
) -> AsyncIterator[Store]:
    await engine.apply(EngineConfig())
    await asyncio.to_thread(join, folder / "agent", script.url, code, [folder], None)
    store = Store(folder / "agent")
    policy = PathPolicy([folder], folder / "home", folder / "agent")
    applier = DesiredStateApplier(store, lambda: policy)
    applier.attach(engine)
    engine._on_status = applier.folder_changed
    if engine._monitor is not None:
        engine._monitor._on_change = applier.folder_changed
    running = asyncio.create_task(Client(store, engine, applier).run())
    try:
        yield store
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


def state(revision: int, *folders: tuple[str, Path], epoch: str = "one") -> DesiredState:
    made = [
        DesiredFolder(id=ident, label=ident, mode="both", path=str(path)) for ident, path in folders
    ]
    return DesiredState(revision, epoch, [], made)
