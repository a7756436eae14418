"""The hub as seen by every control server, although only one of them runs it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

import msgspec
from msgspec.structs import replace

from quartet.kernel.errors import AppError, Problem
from quartet.sync.cluster.requests import Requests
from quartet.sync.cluster.state import ClusterState
from quartet.sync.config.types.desired import HubState
from quartet.sync.hub.types import (
    Completion,
    Hub,
    HubPhase,
    HubReport,
    KnownHub,
    NoHub,
    PendingChanges,
    PendingDevice,
)
from quartet.sync.protocol import FolderStatus, MissingFiles

T = TypeVar("T")
P = ParamSpec("P")

# Time for another server to take over the hub.
HAND_OVER_SECONDS = 12.0
# Row kinds in the cluster state: for a hub and for a folder on it.
MAIN_KINDS = ("hub", "folder")
FURTHER_KINDS = ("further-hub", "further-folder")
_MAIN = KnownHub("", "", "")


class HubRow(msgspec.Struct, frozen=True):
    engine_id: str
    engine_version: str
    address: str
    state: HubPhase
    error: Problem | None
    applied_revision: int
    connected: dict[str, str] = {}
    pending: list[PendingDevice] = []


class FolderRow(msgspec.Struct, frozen=True):
    status: FolderStatus
    completion: dict[str, Completion]


class SharedHub:
    """Shows the local hub while this server owns it, otherwise the state shared by its owner."""

    def __init__(
        self,
        own: Hub,
        cluster_state: ClusterState,
        requests: Requests,
        address: str,
        known: KnownHub = _MAIN,
    ) -> None:
        """`known` identifies the hub and holds its last known state."""
        self.name = known.name
        self._own = own
        self._cluster_state = cluster_state
        self._requests = requests
        self._own_address, self.address = address, address or known.address
        self.owned = cluster_state.single_server and not self.name
        self.owner: str | None = None
        self._last_report = HubReport("starting", own.state().engine_id or known.engine_id)
        self._folders: set[str] = set()
        # Set while any server owns the hub.
        self._found = asyncio.Event()
        self._report_changed = asyncio.Event()
        self.on_folder: Callable[[str], None] = lambda _folder: None
        # Called when the engine id or the address changes.
        self.on_location_change: Callable[[], None] = lambda: None
        # Called when devices without an agent connect, disconnect or ask to join.
        self.on_peers: Callable[[], None] = lambda: None
        # Servers of the previous version know only the main hub.
        self._kind, self._folder_kind = FURTHER_KINDS if self.name else MAIN_KINDS
        self._prefix = f"{self.name} " if self.name else ""
        cluster_state.before_publishing.append(self._publish)

    @property
    def may_run(self) -> bool:
        """True if this server can run the hub when no other one does."""
        return not isinstance(self._own, NoHub)

    @property
    def is_run(self) -> bool:
        """True if this server or another active one runs the hub."""
        return self.owned or self.owner is not None

    def state(self) -> HubReport:
        return self._with_known_id(self._own.state()) if self.owned else self._last_report

    @property
    def shown_state(self) -> HubPhase:
        """Return "stopped" for a hub that no server runs, even if it is about to start."""
        return self.brief().state if self.is_run else "stopped"

    def brief(self) -> HubReport:
        return self._with_known_id(self._own.brief()) if self.owned else self._last_report

    def remember(self, known: KnownHub) -> None:
        """Fill in the stored address and id unless newer ones are known."""
        self.address = self.address or known.address
        engine_id = self._last_report.engine_id or known.engine_id
        self._last_report = replace(self._last_report, engine_id=engine_id)

    def _with_known_id(self, report: HubReport) -> HubReport:
        """Keep the known engine id until a new owner has started the hub."""
        known = report.engine_id or self._last_report.engine_id
        return report if report.engine_id else replace(report, engine_id=known)

    async def reconcile(self, state: HubState) -> None:
        # Keep the state even while stopped; this server may have to start the hub.
        await self._own.reconcile(state)
        await self.wait_for_revision(state.revision)

    async def wait_for_revision(self, revision: int) -> None:
        """Wait until the owner has applied the revision, if it is working on it."""
        while self._is_behind(revision):
            self._report_changed.clear()
            await self._report_changed.wait()

    def _is_behind(self, revision: int) -> bool:
        """Return True if another server runs the hub and has not applied the revision yet."""
        if self.owned or self.owner is None or self._last_report.state != "running":
            return False
        return self._last_report.applied_revision < revision

    async def scan(self, folder: str, path: str = "") -> None:
        await self._own.scan(folder, path)

    async def made_by(self, folder: str, path: str) -> str | None:
        return await self._own.made_by(folder, path)

    async def pending(self, folder: str) -> PendingChanges:
        return await self._own.pending(folder)

    async def missing(self, folder: str) -> MissingFiles:
        return await self._own.missing(folder)

    async def missing_on(self, folder: str, device: str) -> MissingFiles:
        return await self._own.missing_on(folder, device)

    async def rescan(self, folder: str) -> None:
        await self._own.rescan(folder)

    async def sizes(self, folder: str, paths: list[str]) -> dict[str, int]:
        return await self._own.sizes(folder, paths)

    async def received(self, folder: str, device: str) -> int:
        return await self._own.received(folder, device)

    async def impose(self, folder: str, device: str) -> None:
        await self._own.impose(folder, device)

    def request_start(self) -> None:
        self._own.request_start()

    async def dismiss(self, engine_id: str) -> None:
        await self._own.dismiss(engine_id)

    async def call_owner(
        self, method: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call the method on the server that owns the hub and its files."""
        if not self.is_run:
            try:
                await asyncio.wait_for(self._found.wait(), HAND_OVER_SECONDS)
            except TimeoutError:
                raise AppError(503, "hub_elsewhere") from None
        server = None if self.owned else self.owner
        return await self._requests.call(server, method, *args, **kwargs)

    def touch(self, folder: str) -> None:
        """Handle a status change of a folder in the local engine."""
        self._folders.add(folder)
        self.on_folder(folder)

    def take_ownership(self) -> None:
        self.owned, self.owner, self.address = True, None, self._own_address
        self._folders = set(self._own.state().folders)
        self._wake(found=True)

    def give_up_ownership(self) -> None:
        """Give up the hub; keep its id and folders, which the next owner continues with."""
        if self._cluster_state.single_server:
            return
        self._last_report = replace(self._own.state(), state="starting", error=None)
        for folder in self._last_report.folders:
            self._cluster_state.put(self._folder_kind, self._prefix + folder, None)
        self._cluster_state.put(self._kind, self.name, None)
        self.owned = False
        self._wake(found=False)

    def _wake(self, *, found: bool) -> None:
        (self._found.set if found else self._found.clear)()
        self._report_changed.set()
        self.on_location_change()

    def _publish(self) -> None:
        if not self.owned or self._cluster_state.single_server:
            return
        report = self._with_known_id(self._own.state() if self._folders else self._own.brief())
        row = HubRow(
            report.engine_id,
            report.engine_version,
            self.address,
            report.state,
            report.error,
            report.applied_revision,
            report.connected,
            report.pending,
        )
        self._cluster_state.put(self._kind, self.name, row)
        folders, self._folders = self._folders, set()
        for folder in folders:
            status = report.folders.get(folder)
            completion = report.completion.get(folder, {})
            shown = FolderRow(status, completion) if status else None
            self._cluster_state.put(self._folder_kind, self._prefix + folder, shown)

    def apply_row(self, server: str, row: bytes | None) -> None:
        if self.owned:
            return
        if row is None:
            if server == self.owner:
                self.owner = None
                self._last_report = replace(self._last_report, state="starting", error=None)
                self._wake(found=False)
            return
        shared = msgspec.json.decode(row, type=HubRow)
        before = (self._last_report.engine_id, self.address)
        self.owner, self.address = server, shared.address
        self._last_report = replace(
            self._last_report,
            engine_id=shared.engine_id or self._last_report.engine_id,
            engine_version=shared.engine_version,
            state=shared.state,
            error=shared.error,
            applied_revision=shared.applied_revision,
            connected=shared.connected,
            pending=shared.pending,
        )
        self.on_peers()
        self._found.set()
        self._report_changed.set()
        if before != (self._last_report.engine_id, self.address):
            self.on_location_change()

    def apply_folder_row(self, folder: str, row: bytes | None) -> None:
        if self.owned:
            return
        self._last_report.folders.pop(folder, None)
        self._last_report.completion.pop(folder, None)
        if row is not None:
            shown = msgspec.json.decode(row, type=FolderRow)
            self._last_report.folders[folder] = shown.status
            self._last_report.completion[folder] = shown.completion
        self.on_folder(folder)
