"""Reports of a hub, and the data stored about it."""

from typing import Literal, Protocol

import msgspec

from quartet.kernel.errors import AppError, Problem
from quartet.sync.config.types.desired import HubState
from quartet.sync.protocol import FolderStatus, MissingFiles


class Completion(msgspec.Struct, frozen=True, rename="camel"):
    """How much of a folder a device has; unknown until its index has arrived."""

    percent: float
    need_bytes: int
    need_items: int
    known: bool


HubPhase = Literal["starting", "running", "retrying", "stopped"]


class PendingDevice(msgspec.Struct, frozen=True, rename="camel"):
    """An unknown device that has tried to connect to the hub."""

    engine_id: str
    # As the device names itself.
    name: str
    address: str


class HubReport(msgspec.Struct, frozen=True):
    state: HubPhase
    engine_id: str = ""
    engine_version: str = ""
    error: Problem | None = None
    applied_revision: int = 0
    # By engine folder id.
    folders: dict[str, FolderStatus] = {}
    # By engine folder id, then by engine id.
    completion: dict[str, dict[str, Completion]] = {}
    # Connected devices without an agent: versions of Syncthing by engine id.
    connected: dict[str, str] = {}
    pending: list[PendingDevice] = []


Action = Literal["deleted", "replaced", "added"]


class PendingChange(msgspec.Struct, frozen=True):
    """A change of a device that the hub has not followed yet."""

    path: str
    # Engine id; None for an unknown device.
    device: str | None
    action: Action
    size: int = 0


class PendingChanges(msgspec.Struct, frozen=True):
    changes: list[PendingChange]
    # Number of files on the hub.
    files: int
    # Names of folders and links, which may replace files.
    others: list[str] = []


class Hub(Protocol):
    """A hub from the point of view of the other packages."""

    async def reconcile(self, state: HubState) -> None:
        """Return when the state is applied, or after the first failure; the hub keeps retrying."""

    def state(self) -> HubReport: ...

    def brief(self) -> HubReport:
        """Return a report without folders, which may be many."""

    async def scan(self, folder: str, path: str = "") -> None:
        """Scan a path; when this returns, changes on the disk have been announced to peers."""

    async def made_by(self, folder: str, path: str) -> str | None:
        """Return the engine id of the device that last changed the file."""

    async def pending(self, folder: str) -> PendingChanges:
        """Return the changes of files that the hub has not followed yet."""

    async def missing(self, folder: str) -> MissingFiles:
        """Return the files that the hub lacks."""

    async def missing_on(self, folder: str, device: str) -> MissingFiles:
        """Return the files that a device lacks, as far as the hub knows."""

    async def rescan(self, folder: str) -> None:
        """Scan a folder and try failed files again, without waiting for the end."""

    async def sizes(self, folder: str, paths: list[str]) -> dict[str, int]:
        """Return the sizes of the files that exist on the hub."""

    async def received(self, folder: str, device: str) -> int:
        """Return the number of the last change of a device that the hub knows."""

    async def impose(self, folder: str, device: str) -> None:
        """Make a device take over the hub's state of a folder, and undo its own changes."""

    def request_start(self) -> None:
        """Start the engine although the configuration has neither devices nor folders."""

    async def dismiss(self, engine_id: str) -> None:
        """Forget a pending device until it tries to connect again."""


HUB_OFF = Problem("hub_off")


class NoHub:
    """Replaces the hub where no Syncthing engine runs."""

    def __init__(self, reason: Problem = HUB_OFF) -> None:
        self._reason = reason

    async def reconcile(self, state: HubState) -> None:
        pass

    def state(self) -> HubReport:
        return HubReport("stopped", error=self._reason)

    def brief(self) -> HubReport:
        return self.state()

    async def scan(self, folder: str, path: str = "") -> None:
        raise AppError(503, "engine_unreachable")

    async def made_by(self, folder: str, path: str) -> str | None:
        raise AppError(503, "engine_unreachable")

    async def pending(self, folder: str) -> PendingChanges:
        raise AppError(503, "engine_unreachable")

    async def missing(self, folder: str) -> MissingFiles:
        raise AppError(503, "engine_unreachable")

    async def missing_on(self, folder: str, device: str) -> MissingFiles:
        raise AppError(503, "engine_unreachable")

    async def rescan(self, folder: str) -> None:
        raise AppError(503, "engine_unreachable")

    async def sizes(self, folder: str, paths: list[str]) -> dict[str, int]:
        raise AppError(503, "engine_unreachable")

    async def received(self, folder: str, device: str) -> int:
        raise AppError(503, "engine_unreachable")

    async def impose(self, folder: str, device: str) -> None:
        raise AppError(503, "engine_unreachable")

    def request_start(self) -> None:
        pass

    async def dismiss(self, engine_id: str) -> None:
        raise AppError(503, "engine_unreachable")


class HubChange(msgspec.Struct, frozen=True):
    """One changed item in a folder; `device` is the engine id of a device or the hub."""

    folder: str
    device: str | None
    action: str
    path: str
    # A file, a folder (`dir`) or a link.
    type: str = "file"


class KnownHub(msgspec.Struct, frozen=True):
    """Stored data of a hub, so that its devices keep it while no server runs it."""

    name: str
    engine_id: str
    address: str


def lock_name(name: str) -> str:
    """Return the lock name of the hub's tasks, which only one server may run."""
    return f"hub-{name}" if name else "hub"


class ListedHub(msgspec.Struct, frozen=True, rename="camel"):
    # Empty for the main hub.
    name: str
    engine_id: str
    # The address that devices dial; if empty, they use the host at which they reached the server.
    address: str
    # Also "stopped" while no server owns the hub.
    state: HubPhase
    # Number of devices assigned to the hub.
    devices: int
