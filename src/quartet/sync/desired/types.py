"""What the hub shall be, and what it says about itself."""

from typing import Literal, Protocol

import msgspec

from quartet.kernel.errors import AppError, Problem
from quartet.sync.protocol import FolderStatus, Versioning


class HubPeer(msgspec.Struct, frozen=True):
    engine_id: str
    name: str
    paused: bool = False
    # In KiB per second; 0 is as fast as it goes.
    send_kib: int = 0
    receive_kib: int = 0
    # Of another hub; devices dial us.
    addresses: tuple[str, ...] = ("dynamic",)


class HubFolder(msgspec.Struct, frozen=True):
    """A hub holds its folders in mode Both, or encrypted as they were made."""

    id: str
    label: str
    versioning: Versioning | None
    ignore_patterns: list[str]
    encrypted: bool
    # Engine ids of the devices and other hubs that have it.
    devices: list[str]


class HubState(msgspec.Struct, frozen=True):
    """Always complete, as what agents get."""

    revision: int
    peers: list[HubPeer]
    folders: list[HubFolder]
    # Engine ids of devices at other hubs: what they change comes through those.
    elsewhere: list[str] = []


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
