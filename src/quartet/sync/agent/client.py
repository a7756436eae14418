"""The conversation with the server, made anew whenever it breaks."""

import asyncio
import logging
import random
import socket

from msgspec.structs import replace
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from quartet import __version__
from quartet.kernel.errors import AppError
from quartet.sync.agent.desk import Desk
from quartet.sync.agent.places import this_system
from quartet.sync.agent.store import Joined, Store
from quartet.sync.engine import Engine
from quartet.sync.engine.together import together
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
# A server that has just started may have thousands to let in.
OPEN_SECONDS = 30.0


class Refused(Exception):
    """One side will not have the other; trying again soon makes no sense."""


def socket_url(server: str) -> str:
    """`https://host/base` becomes `wss://host/base/api/agent/ws`."""
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


async def ask_identity(server: str) -> str:
    """Who the server says it is; for pinning it."""
    async with dial(server) as line, asyncio.timeout(CHALLENGE_SECONDS):
        challenge = await receive(line)
    if not isinstance(challenge, Challenge):
        raise Refused("no challenge")
    return challenge.server


async def receive(line: ClientConnection) -> FromServer:
    return decode_from_server(await line.recv())


def jittered(seconds: float) -> float:
    """After a restart of the server not everybody comes at once.

    Nor so soon that trying in vain makes the next pause long.
    """
    return random.uniform(seconds / 2, seconds)


class Client:
    def __init__(self, store: Store, engine: Engine, desk: Desk) -> None:
        self._store = store
        self._engine = engine
        self._desk = desk
        self._key = store.key()
        self._engine_key = engine_key(engine.home)
        self._public = self._key.public_key().public_bytes_raw()
        self._delay: float = RECONNECT_FIRST_SECONDS

    async def run(self) -> None:
        while True:
            try:
                await self._converse()
            except Refused as refusal:
                log.error("%s; next try in %d s", refusal, REJECTED_SECONDS)
                await asyncio.sleep(REJECTED_SECONDS)
            except (OSError, TimeoutError, WebSocketException, BadMessageError) as error:
                pause = jittered(self._delay)
                log.warning("no connection (%s); next try in %.1f s", error, pause)
                await asyncio.sleep(pause)
                self._delay = min(self._delay * 2, RECONNECT_MOST_SECONDS)

    async def _converse(self) -> None:
        joined = self._store.joined()
        async with dial(joined.server) as line:
            async with asyncio.timeout(CHALLENGE_SECONDS):
                challenge = await receive(line)
            await line.send(encode(self._hello(challenge, joined)))
            welcome = await self._until_welcome(line)
            self._let_in(challenge, joined)
            self._desk.begin()
            await together(self._listen(line), self._desk.work(line.send, welcome.status_interval))

    def _hello(self, challenge: FromServer, joined: Joined) -> Hello:
        if not isinstance(challenge, Challenge) or challenge.protocol != PROTOCOL_VERSION:
            raise Refused("the server speaks another protocol")
        if joined.server_id not in (None, challenge.server):
            raise Refused("this is not the server that was joined")
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
            epoch=self._desk.seen.epoch,
            revision=self._desk.seen.revision,
        )
        proven = self._engine_key.prove(challenge, hello)
        return replace(proven, signature=sign(self._key, challenge, hello))

    async def _until_welcome(self, line: ClientConnection) -> Welcome:
        while True:
            match await receive(line):
                case Welcome() as welcome:
                    return welcome
                case Waiting():
                    log.warning("waiting for approval of %s", fingerprint(self._public))
                case Rejected() as rejected:
                    raise _refused(rejected)
                case _:
                    raise BadMessageError("not now")

    def _let_in(self, challenge: FromServer, joined: Joined) -> None:
        """The code has done its work, and from now on the server is this one."""
        log.info("connected to %s", joined.server)
        if isinstance(challenge, Challenge) and (joined.code or not joined.server_id):
            self._store.join(replace(joined, code=None, server_id=challenge.server))

    async def _listen(self, line: ClientConnection) -> None:
        while True:
            match await receive(line):
                case DesiredState() as state:
                    # Only now: who cannot take what it is sent must not come back at once.
                    self._delay = RECONNECT_FIRST_SECONDS
                    self._desk.put(state)
                case Rejected() as rejected:
                    raise _refused(rejected)
                case _:
                    raise BadMessageError("not now")


def _refused(rejected: Rejected) -> Refused:
    return Refused(str(AppError(403, rejected.code, **rejected.inputs)))
