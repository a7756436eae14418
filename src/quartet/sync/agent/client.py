"""The agent's connection to the control server, which is re-established after every failure."""

import asyncio
import logging
import random
import secrets
import socket
import time
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlencode, urlsplit

from msgspec.structs import replace
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from quartet import __version__
from quartet.kernel.errors import AppError
from quartet.sync.agent.applier import DesiredStateApplier
from quartet.sync.agent.errors import HandshakeError
from quartet.sync.agent.server_check import check_server, verified
from quartet.sync.agent.store import JoinedServer, Store
from quartet.sync.agent.system import this_system
from quartet.sync.engine import Engine
from quartet.sync.engine.concurrency import run_until_first_exit
from quartet.sync.protocol import (
    BadMessageError,
    Challenge,
    DesiredState,
    FromServer,
    Hello,
    Inspect,
    Inspected,
    Refused,
    Rejected,
    SignedMessage,
    SignedState,
    Waiting,
    Welcome,
    decode_from_server,
    dialled_address,
    encode,
    engine_key,
    fingerprint,
    server_fingerprint,
    sign,
)
from quartet.sync.protocol.limits import (
    NONCE_BYTES,
    PING_SECONDS,
    RECONNECT_FIRST_SECONDS,
    RECONNECT_MOST_SECONDS,
    REJECTED_SECONDS,
    SERVER_MESSAGE_BYTES,
    SILENCE_SECONDS,
)

log = logging.getLogger("quartet.sync.agent")

CHALLENGE_SECONDS = 10.0
# A server that has just started may have to accept thousands of agents first.
OPEN_SECONDS = 30.0


def socket_url(server: str, nonce: bytes, name: str = "ws") -> str:
    """Turn `https://host/base` into `wss://host/base/api/agent/ws` with the nonce to be signed."""
    query = urlencode({"nonce": urlsafe_b64encode(nonce)})
    return "ws" + server.removeprefix("http").rstrip("/") + f"/api/agent/{name}?{query}"


def dial(server: str, nonce: bytes, name: str = "ws") -> connect:
    return connect(
        socket_url(server, nonce, name),
        ping_interval=PING_SECONDS,
        ping_timeout=SILENCE_SECONDS - PING_SECONDS,
        max_size=SERVER_MESSAGE_BYTES,
        compression=None,
        open_timeout=OPEN_SECONDS,
        close_timeout=1,
    )


async def identify_server(joined: JoinedServer) -> JoinedServer:
    """Return the server with the identity and the key to pin."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    async with dial(joined.server, nonce) as line, asyncio.timeout(CHALLENGE_SECONDS):
        challenge = await receive_challenge(line)
    return check_server(challenge, nonce, joined)


async def receive(line: ClientConnection) -> FromServer:
    return decode_from_server(await line.recv())


async def receive_challenge(line: ClientConnection) -> Challenge:
    challenge = await receive(line)
    if not isinstance(challenge, Challenge):
        raise BadMessageError("the server sent no challenge")
    return challenge


def jittered(seconds: float) -> float:
    """Return a random delay of at least half of `seconds`.

    Spreads the reconnects of all agents after a server restart without retrying too early.
    """
    return random.uniform(seconds / 2, seconds)


class Client:
    def __init__(self, store: Store, engine: Engine, applier: DesiredStateApplier) -> None:
        self._store = store
        self._engine = engine
        self._applier = applier
        self._key = store.key()
        self._engine_key = engine_key(engine.home)
        self._public = self._key.public_key().public_bytes_raw()
        self._delay: float = RECONNECT_FIRST_SECONDS

    async def run(self) -> None:
        while True:
            try:
                await self._run_connection()
            except HandshakeError as refusal:
                log.error("%s; retrying in %d s", refusal, REJECTED_SECONDS)
                await asyncio.sleep(REJECTED_SECONDS)
            except (OSError, TimeoutError, WebSocketException, BadMessageError) as error:
                pause = jittered(self._delay)
                log.warning("connection failed: %s; retrying in %.1f s", error, pause)
                await asyncio.sleep(pause)
                self._delay = min(self._delay * 2, RECONNECT_MOST_SECONDS)

    @asynccontextmanager
    async def open_tunnel(self) -> AsyncIterator[ClientConnection]:
        """Sign in for a tunnel to the hub; the server has connected to it when this returns."""
        joined = self._store.joined()
        nonce = secrets.token_bytes(NONCE_BYTES)
        async with dial(joined.server, nonce, "tunnel") as line:
            async with asyncio.timeout(CHALLENGE_SECONDS):
                await self._greet(line, nonce, joined)
                await self._until_welcome(line)
            yield line

    async def _greet(
        self, line: ClientConnection, nonce: bytes, joined: JoinedServer
    ) -> JoinedServer:
        """Check the server before this agent identifies itself."""
        async with asyncio.timeout(CHALLENGE_SECONDS):
            challenge = await receive_challenge(line)
        pinned = check_server(challenge, nonce, joined)
        await line.send(encode(self._hello(challenge, pinned)))
        return pinned

    async def _run_connection(self) -> None:
        joined = self._store.joined()
        nonce = secrets.token_bytes(NONCE_BYTES)
        async with dial(joined.server, nonce) as line:
            pinned = await self._greet(line, nonce, joined)
            welcome = await self._until_welcome(line)
            self._remember_server(joined, pinned)
            self._applier.prepare_connection()
            await run_until_first_exit(
                self._listen(line, pinned.server_key),
                self._applier.run(line.send, welcome.status_interval),
            )

    def _hello(self, challenge: Challenge, joined: JoinedServer) -> Hello:
        hello = Hello(
            public_key=self._public,
            address=dialled_address(joined.server),
            host_name=socket.gethostname()[:255],
            os=this_system(),
            agent_version=__version__,
            engine_version=self._engine.version[:64],
            engine_id=self._engine.id,
            signature=b"",
            code=joined.code,
            epoch=self._applier.accepted.epoch,
            revision=self._applier.accepted.revision,
            trust=joined.trust if joined.server_key else "",
            clock_offset=int(time.time()) - challenge.time,
        )
        proven = self._engine_key.prove(challenge, hello)
        return replace(proven, signature=sign(self._key, challenge, hello))

    async def _until_welcome(self, line: ClientConnection) -> Welcome:
        while True:
            match await receive(line):
                case Welcome() as welcome:
                    return welcome
                case Waiting():
                    log.warning("waiting for approval, fingerprint %s", fingerprint(self._public))
                case Rejected() as rejected:
                    raise _handshake_error(rejected)
                case _:
                    raise BadMessageError("unexpected message")

    def _remember_server(self, joined: JoinedServer, pinned: JoinedServer) -> None:
        """Discard the used pairing code and pin the server's identity and key."""
        log.info("connected to %s", urlsplit(joined.server).hostname)
        if pinned.server_key is not None and pinned.server_key != joined.server_key:
            log.warning(
                "pinned the key %s of the server (%s)",
                server_fingerprint(pinned.server_key),
                "replaces the previous one" if joined.server_key else pinned.trust,
            )
        if pinned != joined or pinned.code:
            self._store.join(replace(pinned, code=None))

    async def _listen(self, line: ClientConnection, server_key: bytes | None) -> None:
        while True:
            match await receive(line):
                case DesiredState() | SignedState() as message:
                    answer = await self._handle(verified(message, self._public, server_key))
                    # Servers of older versions, which have no key, do not expect an answer.
                    if answer is not None and server_key is not None:
                        await line.send(encode(answer))
                case Rejected() as rejected:
                    raise _handshake_error(rejected)
                case _:
                    raise BadMessageError("unexpected message")

    async def _handle(self, message: SignedMessage) -> Refused | Inspected | None:
        """Return the answer to a message of the server."""
        if isinstance(message, Inspect) and message.scan:
            # Answered after the scan, which must not delay other messages.
            self._applier.scans.request(message)
            return None
        if isinstance(message, Inspect) and message.missing:
            return await self._applier.list_missing(message)
        if isinstance(message, Inspect) and message.folder:
            return await self._applier.list_drifted(message)
        if isinstance(message, Inspect) and message.browse is not None:
            return await asyncio.to_thread(self._applier.browse, message)
        if isinstance(message, Inspect):
            return await asyncio.to_thread(self._applier.inspect, message)
        # Reset the delay only now: an agent that cannot process its desired state must not
        # reconnect in a tight loop.
        self._delay = RECONNECT_FIRST_SECONDS
        refusal = self._applier.accept(message)
        return Refused(message.epoch, message.revision, refusal) if refusal else None


def _handshake_error(rejected: Rejected) -> HandshakeError:
    return HandshakeError(str(AppError(403, rejected.code, **rejected.inputs)))
