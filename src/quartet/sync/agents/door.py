"""From the challenge to a device that is let in, or the reason why not."""

import asyncio
import secrets
import time
from contextlib import suppress
from typing import Any

from quartet.sync.agents.pairing.service import Pairing
from quartet.sync.agents.pairing.types import Refusal
from quartet.sync.agents.pairing.waiting import WaitingAgent
from quartet.sync.agents.types import Gone, Limits, Line
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


class Door:
    def __init__(
        self, pairing: Pairing, server_id: str, public_url: str | None, limits: Limits
    ) -> None:
        self._pairing = pairing
        self._server_id = server_id
        self._public = dialled_address(public_url) if public_url else None
        self._limits = limits

    async def pass_through(self, line: Line) -> tuple[int, Hello]:
        """The device at the other end; raises `Refusal` or `Gone`."""
        hello = await self._greet(line)
        found = await self._pairing.admit(hello, line.peer)
        return (found if isinstance(found, int) else await self._wait(line, found)), hello

    async def _greet(self, line: Line) -> Hello:
        challenge = Challenge(
            secrets.token_bytes(NONCE_BYTES), self._server_id, PROTOCOL_VERSION, int(time.time())
        )
        await line.send(encode(challenge))
        try:
            async with asyncio.timeout(self._limits.hello_seconds):
                hello = decode_hello(await line.receive())
        except TimeoutError:
            raise Refusal("hello_too_late") from None
        except BadMessageError:
            raise Refusal("bad_message") from None
        ours = (self._public, dialled_address(f"//{line.host}"))
        if not hello.address or hello.address not in ours:
            raise Refusal("wrong_address")
        if not verify(challenge, hello):
            raise Refusal("signature_invalid")
        if not self._pairing.knows(hello):
            # It may have become a device at another server just now.
            await self._pairing.catch_up()
        if not self._pairing.knows(hello):
            _check_engine(challenge, hello)
        return hello

    async def _wait(self, line: Line, agent: WaitingAgent) -> int:
        """Until somebody decides, or the agent leaves or says what it may not say yet."""
        talk = asyncio.ensure_future(line.receive())
        try:
            await line.send(encode(Waiting(agent.fingerprint)))
            both: set[asyncio.Future[Any]] = {talk, agent.decision}
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            return _decided(agent, talk)
        finally:
            self._pairing.waiting.remove(agent)
            talk.cancel()
            with suppress(asyncio.CancelledError, Gone):
                await talk


def _check_engine(challenge: Challenge, hello: Hello) -> None:
    """Else an agent could take the place of somebody else's engine before that one comes."""
    # One that the hub's engine refuses would keep it from every other device as well.
    if not is_engine_id(hello.engine_id):
        raise Refusal("engine_id_invalid")
    if not proves_engine(challenge, hello):
        raise Refusal("engine_id_unproven")


def _decided(agent: WaitingAgent, talk: asyncio.Future[str | bytes]) -> int:
    if agent.decision.done():
        decision = agent.decision.result()
        if isinstance(decision, Rejected):
            raise Refusal(decision.code)
        return decision
    talk.result()
    raise Refusal("bad_message")
