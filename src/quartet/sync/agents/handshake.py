"""The handshake of an agent: challenge, proof of identity, admission or rejection."""

import asyncio
import secrets
import time
from contextlib import suppress
from typing import Any

from msgspec.structs import replace

from quartet.sync.agents.pairing.service import Pairing
from quartet.sync.agents.pairing.types import AgentRejection
from quartet.sync.agents.pairing.waiting import WaitingAgent
from quartet.sync.agents.types import AgentSocket, Disconnected, Limits
from quartet.sync.protocol import (
    BadMessageError,
    Challenge,
    Hello,
    Rejected,
    Waiting,
    decode_hello,
    dialled_address,
    encode,
    is_engine_id,
    proves_engine,
    verify,
)
from quartet.sync.protocol.limits import NONCE_BYTES, PROTOCOL_VERSION
from quartet.sync.server_key.service import ServerKeys


class Handshake:
    def __init__(
        self, pairing: Pairing, server_keys: ServerKeys, public_url: str | None, limits: Limits
    ) -> None:
        self._pairing = pairing
        self._server_keys = server_keys
        self._public = dialled_address(public_url) if public_url else None
        self._limits = limits

    async def run(self, socket: AgentSocket) -> tuple[int, Hello]:
        """Return the device id and the hello of an authenticated agent, or raise."""
        hello = await self._authenticate(socket)
        found = await self._pairing.admit(hello, socket.peer)
        return (found if isinstance(found, int) else await self._wait(socket, found)), hello

    async def identify(self, socket: AgentSocket) -> int:
        """Return the id of a device that has joined already; pair no others."""
        hello = await self._authenticate(socket)
        if not self._pairing.knows(hello):
            raise AgentRejection("device_unknown")
        found = await self._pairing.admit(replace(hello, code=None), socket.peer)
        if not isinstance(found, int):
            raise AgentRejection("device_unknown")
        return found

    async def _authenticate(self, socket: AgentSocket) -> Hello:
        challenge = self._challenge(socket.nonce)
        await socket.send(encode(challenge))
        try:
            async with asyncio.timeout(self._limits.hello_seconds):
                hello = decode_hello(await socket.receive())
        except TimeoutError:
            raise AgentRejection("hello_too_late") from None
        except BadMessageError:
            raise AgentRejection("bad_message") from None
        ours = (self._public, dialled_address(f"//{socket.host}"))
        if not hello.address or hello.address not in ours:
            raise AgentRejection("wrong_address")
        if not verify(challenge, hello):
            raise AgentRejection("signature_invalid")
        if not self._pairing.knows(hello):
            # The device may just have been paired at another server.
            await self._pairing.catch_up()
        if not self._pairing.knows(hello):
            _check_engine(challenge, hello)
        return hello

    def _challenge(self, agent_nonce: bytes) -> Challenge:
        nonce, now = secrets.token_bytes(NONCE_BYTES), int(time.time())
        challenge = Challenge(nonce, self._server_keys.server_id, PROTOCOL_VERSION, now)
        # Older agents send no nonce and do not check the server's key.
        return self._server_keys.prove(challenge, agent_nonce) if agent_nonce else challenge

    async def _wait(self, socket: AgentSocket, agent: WaitingAgent) -> int:
        """Wait until a user decides, or the agent disconnects or sends a message too early."""
        talk = asyncio.ensure_future(socket.receive())
        try:
            await socket.send(encode(Waiting(agent.fingerprint)))
            both: set[asyncio.Future[Any]] = {talk, agent.decision}
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            return _decided(agent, talk)
        finally:
            self._pairing.waiting.remove(agent)
            talk.cancel()
            with suppress(asyncio.CancelledError, Disconnected):
                await talk


def _check_engine(challenge: Challenge, hello: Hello) -> None:
    """Prevent an agent from claiming the engine of another device."""
    # The hub's engine would reject a configuration with an invalid id, which affects all devices.
    if not is_engine_id(hello.engine_id):
        raise AgentRejection("engine_id_invalid")
    if not proves_engine(challenge, hello):
        raise AgentRejection("engine_id_unproven")


def _decided(agent: WaitingAgent, talk: asyncio.Future[str | bytes]) -> int:
    if agent.decision.done():
        decision = agent.decision.result()
        if isinstance(decision, Rejected):
            raise AgentRejection(decision.code)
        return decision
    talk.result()
    raise AgentRejection("bad_message")
