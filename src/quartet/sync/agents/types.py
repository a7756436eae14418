from dataclasses import dataclass, field
from typing import Literal, Protocol

import msgspec

from quartet.sync.protocol import FolderError, FolderStatus, Place, Trust, TunnelStatus
from quartet.sync.protocol.limits import (
    NONCE_SECONDS,
    STATUS_SECONDS,
    TUNNEL_IDLE_SECONDS,
    TUNNELS,
    TUNNELS_PER_DEVICE,
)


class Disconnected(Exception):
    """The other side has disconnected."""


class AgentSocket(Protocol):
    """The socket operations that the handshake and the session need."""

    # The client's address or network, for rate limits.
    peer: str
    # The Host header: how the agent addressed this server.
    host: str
    # The agent's nonce, which the server signs; empty for older agents.
    nonce: bytes

    async def send(self, text: str) -> None: ...

    def send_now(self, text: str) -> bool:
        """Send a message without waiting; return False if only `send` can send it."""

    async def receive(self) -> str | bytes:
        """Raise `Disconnected` if the socket is closed."""

    async def close(self) -> None: ...


class TunnelSocket(AgentSocket, Protocol):
    async def send_bytes(self, data: bytes) -> None: ...

    async def receive_bytes(self) -> bytes: ...


@dataclass(frozen=True)
class Limits:
    """Limits for agents; tests use shorter times."""

    hello_seconds: float = NONCE_SECONDS
    # A peer that does not read for this long is disconnected.
    send_seconds: float = 20.0
    # More messages than a correct agent sends in that time.
    messages: int = 60
    messages_seconds: float = 20.0
    status_seconds: float = STATUS_SECONDS
    # Total for all agents; with more agents, each reports less often.
    statuses_per_second: float = 500.0
    tunnels: int = TUNNELS
    tunnels_per_device: int = TUNNELS_PER_DEVICE
    tunnel_idle_seconds: float = TUNNEL_IDLE_SECONDS


class DeviceRow(msgspec.Struct, frozen=True, array_like=True):
    """The state of a connected device as published to the other servers."""

    generation: int
    agent_version: str
    engine_version: str
    last_seen: int
    applied_rev: int
    errors: list[FolderError]
    folders: dict[str, FolderStatus]
    trust: Trust | Literal[""] = ""
    refusal: str = ""
    clock_offset: int = 0
    tunnel: TunnelStatus | None = None


class FoundPatterns(msgspec.Struct, frozen=True, rename="camel"):
    """Ignore patterns that a device has in a folder, and the configuration does not."""

    folder_id: int
    device_id: int
    patterns: list[str]


class DeviceFolders(msgspec.Struct, frozen=True, rename="camel"):
    """The places of a device, or the names of the folders in one of its folders."""

    places: list[Place]
    folders: list[str]
    # True if there are more folders than listed.
    more: bool


@dataclass(slots=True)
class Report:
    """The last report of a device."""

    agent_version: str = ""
    engine_version: str = ""
    last_seen: int = 0
    applied_rev: int = 0
    errors: list[FolderError] = field(default_factory=list)
    # By engine folder id.
    folders: dict[str, FolderStatus] = field(default_factory=dict)
    # How the device came to trust this server's key; empty if it does not check the key.
    trust: Trust | Literal[""] = ""
    # The code with which the device refused the current state.
    refusal: str = ""
    # Seconds by which the device's clock is ahead of the server's.
    clock_offset: int = 0
    # Set if the device reaches its hub through the control server.
    tunnel: TunnelStatus | None = None
