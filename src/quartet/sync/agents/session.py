"""One agent's open socket."""

import asyncio
import time
from typing import Any

from quartet.sync.agents.pairing.types import Refusal
from quartet.sync.agents.types import Gone, Limits, Line
from quartet.sync.protocol import DesiredState, Rejected, encode

# Revisions an agent was sent last, which it may answer.
REMEMBERED = 64


class Session:
    """Ten thousand of these may be open: small, and without a task while nothing is sent."""

    __slots__ = (
        "_answered",
        "_count",
        "_limits",
        "_line",
        "_owner",
        "_sending",
        "_sent",
        "_since",
        "_slot",
        "device_id",
        "generation",
        "host",
        "stuck",
    )

    def __init__(
        self,
        device_id: int,
        generation: int,
        line: Line,
        host: str,
        limits: Limits,
        owner: asyncio.Task[Any],
    ) -> None:
        self.device_id = device_id
        # Of two sockets of a device the one with the larger number is the newer.
        self.generation = generation
        # Waits for its messages; cancelled when it is stuck.
        self._owner = owner
        self.stuck = False
        # Where the agent found the server, and so most likely finds the hub.
        self.host = host
        self._line = line
        self._limits = limits
        # The latest message alone: a slow agent skips what is out of date.
        self._slot: DesiredState | Rejected | None = None
        self._sending: asyncio.Task[None] | None = None
        self._sent: tuple[int, ...] = ()
        self._answered = 0
        self._count = 0
        self._since = time.monotonic()

    def offer(self, state: DesiredState) -> None:
        if not isinstance(self._slot, Rejected):
            self._put(state)

    def reject(self, code: str) -> None:
        """Says why, and ends it."""
        self._put(Rejected(code))

    def _put(self, message: DesiredState | Rejected) -> None:
        self._slot = message
        if self._sending is None:
            self._sending = asyncio.create_task(self._send())

    async def _send(self) -> None:
        try:
            async with asyncio.timeout(self._limits.send_seconds):
                while (message := self._slot) is not None:
                    self._slot = None
                    if isinstance(message, DesiredState):
                        self._sent = (*self._sent, message.revision)[-REMEMBERED:]
                    await self._line.send(encode(message))
                    if isinstance(message, Rejected):
                        await self._line.close()
                        return
        except (Gone, TimeoutError):
            # It does not read; so it will not answer a goodbye either.
            self.stuck = True
            self._owner.cancel()
        finally:
            self._sending = None

    def answers(self, revision: int) -> bool:
        """Whether it was sent this one; raises `Refusal` when it cannot know of it."""
        if revision > max(self._sent, default=0):
            raise Refusal("revision_not_sent", revision=revision)
        if revision > self._answered:
            # The first answer to each was asked for, so it does not count as talking.
            self._answered = revision
            self._count -= 1
        return revision in self._sent

    async def receive(self) -> str | bytes:
        """Raises `Refusal` when an agent talks more than any honest one would."""
        message = await self._line.receive()
        now = time.monotonic()
        if now - self._since > self._limits.messages_seconds:
            self._count, self._since = 0, now
        self._count += 1
        if self._count > self._limits.messages:
            raise Refusal("too_many_messages")
        return message

    def close(self) -> None:
        if self._sending is not None:
            self._sending.cancel()
