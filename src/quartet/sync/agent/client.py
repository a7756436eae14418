"""The agent's connection to the control server, which is re-established after every failure."""

import asyncio
import logging
import random
import socket
from urllib.parse import urlsplit

from msgspec.structs import replace
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from quartet import __version__
from quartet.kernel.errors import AppError
from quartet.sync.agent.applier import DesiredStateApplier
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
    Rejected,
    Waiting,
    Welcome,
    decode_from_server,
    dialled_address,
    encode,
    engine_key,
    fingerprint,
    sign,
)
from quartet.sync.protocol.limits import (
    PING_SECONDS,
    PROTOCOL_VERSION,
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


class HandshakeError(Exception):
    """The agent or the server rejected the other side; an immediate retry would fail again."""


def socket_url(server: str) -> str:
    """Turn `https://host/base` into `wss://host/base/api/agent/ws`."""
    return "ws" + server.removeprefix("http").rstrip("/") + "/api/agent/ws"


def dial(server: str) -> connect:
    return connect(
        socket_url(server),
        ping_interval=PING_SECONDS,
        ping_timeout=SILENCE_SECONDS - PING_SECONDS,
        max_size=SERVER_MESSAGE_BYTES,
        compression=None,
        open_timeout=OPEN_SECONDS,
        close_timeout=1,
    )


async def fetch_server_id(server: str) -> str:
    """Return the server's identity, so that the agent can pin it."""
    async with dial(server) as line, asyncio.timeout(CHALLENGE_SECONDS):
        challenge = await receive(line)
    if not isinstance(challenge, Challenge):
        raise HandshakeError("the server sent no challenge")
    return challenge.server


async def receive(line: ClientConnection) -> FromServer:
    return decode_from_server(await line.recv())


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

    async def _run_connection(self) -> None:
        joined = self._store.joined()
        async with dial(joined.server) as line:
            async with asyncio.timeout(CHALLENGE_SECONDS):
                challenge = await receive(line)
            await line.send(encode(self._hello(challenge, joined)))
            welcome = await self._until_welcome(line)
            self._remember_server(challenge, joined)
            self._applier.prepare_connection()
            await run_until_first_exit(
                self._listen(line), self._applier.run(line.send, welcome.status_interval)
            )

    def _hello(self, challenge: FromServer, joined: JoinedServer) -> Hello:
        if not isinstance(challenge, Challenge) or challenge.protocol != PROTOCOL_VERSION:
            raise HandshakeError("the server uses another protocol version")
        if joined.server_id not in (None, challenge.server):
            raise HandshakeError("this is not the server that was joined")
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

    def _remember_server(self, challenge: FromServer, joined: JoinedServer) -> None:
        """Discard the used pairing code and pin the server's identity."""
        log.info("connected to %s", urlsplit(joined.server).hostname)
        if isinstance(challenge, Challenge) and (joined.code or not joined.server_id):
            self._store.join(replace(joined, code=None, server_id=challenge.server))

    async def _listen(self, line: ClientConnection) -> None:
        while True:
            match await receive(line):
                case DesiredState() as state:
                    # Reset the delay only now: an agent that cannot process its desired state must
                    # not reconnect in a tight loop.
                    self._delay = RECONNECT_FIRST_SECONDS
                    self._applier.accept(state)
                case Rejected() as rejected:
                    raise _handshake_error(rejected)
                case _:
                    raise BadMessageError("unexpected message")


def _handshake_error(rejected: Rejected) -> HandshakeError:
    return HandshakeError(str(AppError(403, rejected.code, **rejected.inputs)))
