from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from quartet.sync.protocol import FolderError, FolderStatus
from quartet.sync.protocol.limits import NONCE_SECONDS, STATUS_SECONDS


class Gone(Exception):
    """The other end has left."""


class Line(Protocol):
    """A socket as far as a conversation needs it."""

    # Who is there, as far as limits for one person go.
    peer: str
    # What the agent called us when it dialled.
    host: str

    async def send(self, text: str) -> None: ...

    async def receive(self) -> str | bytes:
        """Raises `Gone`."""

    async def close(self) -> None: ...


@dataclass(frozen=True)
class Limits:
    """Tests may be in a hurry."""

    hello_seconds: float = NONCE_SECONDS
    # A peer that does not read for this long is cut off.
    send_seconds: float = 20.0
    # More in that time than an honest agent would ever send.
    messages: int = 60
    messages_seconds: float = 20.0
    status_seconds: float = STATUS_SECONDS
    # What the server takes of all agents together; more of them report less often.
    statuses_per_second: float = 500.0


class DeviceRow(msgspec.Struct, frozen=True, array_like=True):
    """What a server shows the others of a device that is connected to it."""

    generation: int
    agent_version: str
    engine_version: str
    last_seen: int
    applied_rev: int
    errors: list[FolderError]
    folders: dict[str, FolderStatus]


@dataclass(slots=True)
class Report:
    """What a device last told about itself."""

    agent_version: str = ""
    engine_version: str = ""
    last_seen: int = 0
    applied_rev: int = 0
    errors: list[FolderError] = field(default_factory=list)
    # By engine folder id.
    folders: dict[str, FolderStatus] = field(default_factory=dict)
