"""The open connection of one agent."""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any

from quartet.sync.agents.pairing.types import AgentRejection
from quartet.sync.agents.types import AgentSocket, Disconnected, Limits
from quartet.sync.protocol import (
    DesiredState,
    Inspect,
    Rejected,
    SignedMessage,
    SignedState,
    encode,
)

log = logging.getLogger("quartet.sync.agents")

# Number of recently sent revisions that an agent may still answer.
REMEMBERED = 64

Sign = Callable[[SignedMessage], SignedState]


class AgentSession:
    """Kept small, because ten thousand may be open; it has a task only while sending."""

    __slots__ = (
        "_answered",
        "_count",
        "_limits",
        "_owner",
        "_sending",
        "_sent",
        "_signing",
        "_since",
        "_slot",
        "_socket",
        "device_id",
        "generation",
        "host",
        "stuck",
    )

    def __init__(
        self,
        device_id: int,
        generation: int,
        socket: AgentSocket,
        host: str,
        limits: Limits,
        owner: asyncio.Task[Any],
        sign: Sign | None = None,
    ) -> None:
        """`sign` signs the states for this device; older agents receive unsigned ones."""
        self.device_id = device_id
        # The connection with the larger generation is newer.
        self.generation = generation
        # The task that reads the messages; cancelled if the agent is stuck.
        self._owner = owner
        self.stuck = False
        # The host by which the agent reached the server, and probably also reaches the hub.
        self.host = host
        self._socket = socket
        self._signing = sign
        self._limits = limits
        # Only the latest message: a slow agent skips outdated states.
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
        """Send the reason and close the connection."""
        self._put(Rejected(code))

    def _put(self, message: DesiredState | Rejected) -> None:
        if self._sending is None and self._send_now(message):
            return
        self._slot = message
        if self._sending is None:
            self._sending = asyncio.create_task(self._send())

    def _send_now(self, message: DesiredState | Rejected) -> bool:
        """Send a state without a task, unless the agent reads slowly."""
        if isinstance(message, Rejected) or not self._socket.send_now(
            encode(self._signed(message))
        ):
            return False
        self._note_sending(message)
        return True

    def _note_sending(self, state: DesiredState) -> None:
        self._sent = (*self._sent, state.revision)[-REMEMBERED:]
        log.debug("device %d: sending revision %d", self.device_id, state.revision)

    async def _send(self) -> None:
        try:
            async with asyncio.timeout(self._limits.send_seconds):
                while (message := self._slot) is not None:
                    self._slot = None
                    if isinstance(message, DesiredState):
                        self._note_sending(message)
                    await self._socket.send(encode(self._signed(message)))
                    if isinstance(message, Rejected):
                        await self._socket.close()
                        return
        except (Disconnected, TimeoutError):
            # The agent does not read, so it would not answer a close frame either.
            self.stuck = True
            self._owner.cancel()
        finally:
            self._sending = None

    def _signed(self, message: DesiredState | Rejected) -> DesiredState | SignedState | Rejected:
        """Sign a state only when it is sent, because newer ones replace it until then."""
        if self._signing is None or isinstance(message, Rejected):
            return message
        return self._signing(message)

    async def inspect(self, question: Inspect) -> bool:
        """Ask about a folder; return False if the agent is too old to answer."""
        if self._signing is None:
            return False
        await self._socket.send(encode(self._signing(question)))
        return True

    def discount_answer(self) -> None:
        """Do not count the answer to a question towards the message limit."""
        self._count -= 1

    def answers(self, revision: int) -> bool:
        """Return True if the revision was sent recently; raise if it was never sent."""
        if revision > max(self._sent, default=0):
            raise AgentRejection("revision_not_sent", revision=revision)
        if revision > self._answered:
            # The first answer to each revision is expected and does not count towards the message
            # limit.
            self._answered = revision
            self._count -= 1
        return revision in self._sent

    async def receive(self) -> str | bytes:
        """Receive a message; raise if the agent exceeds the message limit."""
        message = await self._socket.receive()
        now = time.monotonic()
        if now - self._since > self._limits.messages_seconds:
            self._count, self._since = 0, now
        self._count += 1
        if self._count > self._limits.messages:
            raise AgentRejection("too_many_messages")
        return message

    def close(self) -> None:
        if self._sending is not None:
            self._sending.cancel()
