"""What a hub reports, and what is stored about it."""

from typing import Literal, Protocol

import msgspec

from quartet.kernel.errors import AppError, Problem
from quartet.sync.config.types.desired import HubState
from quartet.sync.protocol import FolderStatus


class Completion(msgspec.Struct, frozen=True, rename="camel"):
    """How much of a folder a device has; not `known` before its index has come."""

    percent: float
    need_bytes: int
    need_items: int
    known: bool


HubPhase = Literal["starting", "running", "retrying", "stopped"]


class HubReport(msgspec.Struct, frozen=True):
    state: HubPhase
    engine_id: str = ""
    engine_version: str = ""
    error: Problem | None = None
    applied_revision: int = 0
    # By engine folder id.
    folders: dict[str, FolderStatus] = {}
    # By engine folder id, then by engine device id.
    completion: dict[str, dict[str, Completion]] = {}


class Hub(Protocol):
    """The hub as the server sees it; `sync/hub` runs it."""

    async def reconcile(self, state: HubState) -> None:
        """Returns when the hub has it, or has failed once and goes on trying by itself."""

    def state(self) -> HubReport: ...

    def brief(self) -> HubReport:
        """Without what it tells of folders, which may be much."""

    async def scan(self, folder: str, path: str = "") -> None:
        """What changed on the disk is known to all when this returns."""

    async def made_by(self, folder: str, path: str) -> str | None:
        """The engine id of the device that made a file what it is."""


class NoHub:
    """Where there is no Syncthing program."""

    async def reconcile(self, state: HubState) -> None:
        pass

    def state(self) -> HubReport:
        return HubReport("stopped", error=Problem("engine_missing"))

    def brief(self) -> HubReport:
        return self.state()

    async def scan(self, folder: str, path: str = "") -> None:
        raise AppError(503, "engine_unreachable")

    async def made_by(self, folder: str, path: str) -> str | None:
        raise AppError(503, "engine_unreachable")


class HubChange(msgspec.Struct, frozen=True):
    """One item changed in a folder; `device` is an engine id, the hub's own or a device's."""

    folder: str
    device: str | None
    action: str
    path: str
    # A file, a folder (`dir`) or a link.
    type: str = "file"


class KnownHub(msgspec.Struct, frozen=True):
    """What is kept of a hub, so that its devices do not lose it when nobody runs it."""

    name: str
    engine_id: str
    address: str


def alone(name: str) -> str:
    """What the loops of a hub are called, of which only one server runs any."""
    return f"hub-{name}" if name else "hub"


class ListedHub(msgspec.Struct, frozen=True, rename="camel"):
    # Empty for the main one.
    name: str
    engine_id: str
    # Where devices dial it; empty when they try the host at which they found the server.
    address: str
    # Stopped also while no server has it.
    state: HubPhase
    # How many dial it.
    devices: int
