"""The hub as every control server sees it, although only one of them runs it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

import msgspec
from msgspec.structs import replace

from quartet.kernel.errors import AppError, Problem
from quartet.sync.cluster.requests import Requests
from quartet.sync.cluster.state import Board
from quartet.sync.config.types.desired import HubState
from quartet.sync.hub.types import Completion, Hub, HubPhase, HubReport, KnownHub, NoHub
from quartet.sync.protocol import FolderStatus

T = TypeVar("T")
P = ParamSpec("P")

# As long as it takes until another server has the hub.
HAND_OVER_SECONDS = 12.0
# The kinds of rows on the board, of a hub and of a folder there.
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


class FolderRow(msgspec.Struct, frozen=True):
    status: FolderStatus
    completion: dict[str, Completion]


class SharedHub:
    """Shows the own hub while this server has it, else what the server that has it tells."""

    def __init__(
        self, own: Hub, board: Board, requests: Requests, address: str, known: KnownHub = _MAIN
    ) -> None:
        """`known` says which of several it is, and what was last known of it."""
        self.name = known.name
        self._own = own
        self._board = board
        self._requests = requests
        self._own_address, self.address = address, address or known.address
        self.owned = board.alone and not self.name
        self.owner: str | None = None
        self._told = HubReport("starting", own.state().engine_id or known.engine_id)
        self._folders: set[str] = set()
        # Set while some server has it.
        self._found = asyncio.Event()
        self._news = asyncio.Event()
        self.on_folder: Callable[[str], None] = lambda _folder: None
        # It is another one, or elsewhere.
        self.on_place: Callable[[], None] = lambda: None
        # Servers of the version before know the main hub only.
        self._kind, self._folder_kind = FURTHER_KINDS if self.name else MAIN_KINDS
        self._prefix = f"{self.name} " if self.name else ""
        board.before_telling.append(self._tell)

    @property
    def may_run(self) -> bool:
        """Here, if no other server does."""
        return not isinstance(self._own, NoHub)

    @property
    def is_run(self) -> bool:
        """By this server, or by another that was heard of a moment ago."""
        return self.owned or self.owner is not None

    def state(self) -> HubReport:
        return self._known(self._own.state()) if self.owned else self._told

    @property
    def shown_state(self) -> HubPhase:
        """To people one that nobody runs has stopped, although it may be about to start."""
        return self.brief().state if self.is_run else "stopped"

    def brief(self) -> HubReport:
        return self._known(self._own.brief()) if self.owned else self._told

    def remember(self, known: KnownHub) -> None:
        """As it was when it last started, unless somebody has told already."""
        self.address = self.address or known.address
        engine_id = self._told.engine_id or known.engine_id
        self._told = replace(self._told, engine_id=engine_id)

    def _known(self, report: HubReport) -> HubReport:
        """Devices need not forget the hub because its new server has not started it yet."""
        known = report.engine_id or self._told.engine_id
        return report if report.engine_id else replace(report, engine_id=known)

    async def reconcile(self, state: HubState) -> None:
        # Known also where it does not run: it may have to soon.
        await self._own.reconcile(state)
        await self.reached(state.revision)

    async def reached(self, revision: int) -> None:
        """Waits for the server that has it, if one is at work on it."""
        while self._is_behind(revision):
            self._news.clear()
            await self._news.wait()

    def _is_behind(self, revision: int) -> bool:
        """Whether it runs elsewhere and will soon have this revision."""
        if self.owned or self.owner is None or self._told.state != "running":
            return False
        return self._told.applied_revision < revision

    async def scan(self, folder: str, path: str = "") -> None:
        await self._own.scan(folder, path)

    async def made_by(self, folder: str, path: str) -> str | None:
        return await self._own.made_by(folder, path)

    async def ask(self, method: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        """Done by the server that has the hub and its files."""
        if not self.is_run:
            try:
                await asyncio.wait_for(self._found.wait(), HAND_OVER_SECONDS)
            except TimeoutError:
                raise AppError(503, "hub_elsewhere") from None
        server = None if self.owned else self.owner
        return await self._requests.ask(server, method, *args, **kwargs)

    def touch(self, folder: str) -> None:
        """The own engine tells that a folder is different."""
        self._folders.add(folder)
        self.on_folder(folder)

    def own(self) -> None:
        self.owned, self.owner, self.address = True, None, self._own_address
        self._folders = set(self._own.state().folders)
        self._wake(found=True)

    def disown(self) -> None:
        """Its id and folders stay known: another server goes on with the same."""
        if self._board.alone:
            return
        self._told = replace(self._own.state(), state="starting", error=None)
        for folder in self._told.folders:
            self._board.put(self._folder_kind, self._prefix + folder, None)
        self._board.put(self._kind, self.name, None)
        self.owned = False
        self._wake(found=False)

    def _wake(self, *, found: bool) -> None:
        (self._found.set if found else self._found.clear)()
        self._news.set()
        self.on_place()

    def _tell(self) -> None:
        if not self.owned or self._board.alone:
            return
        report = self._known(self._own.state() if self._folders else self._own.brief())
        row = HubRow(
            report.engine_id,
            report.engine_version,
            self.address,
            report.state,
            report.error,
            report.applied_revision,
        )
        self._board.put(self._kind, self.name, row)
        folders, self._folders = self._folders, set()
        for folder in folders:
            status = report.folders.get(folder)
            completion = report.completion.get(folder, {})
            shown = FolderRow(status, completion) if status else None
            self._board.put(self._folder_kind, self._prefix + folder, shown)

    def hear(self, server: str, row: bytes | None) -> None:
        if self.owned:
            return
        if row is None:
            if server == self.owner:
                self.owner = None
                self._told = replace(self._told, state="starting", error=None)
                self._wake(found=False)
            return
        told = msgspec.json.decode(row, type=HubRow)
        before = (self._told.engine_id, self.address)
        self.owner, self.address = server, told.address
        self._told = replace(
            self._told,
            engine_id=told.engine_id or self._told.engine_id,
            engine_version=told.engine_version,
            state=told.state,
            error=told.error,
            applied_revision=told.applied_revision,
        )
        self._found.set()
        self._news.set()
        if before != (self._told.engine_id, self.address):
            self.on_place()

    def hear_folder(self, folder: str, row: bytes | None) -> None:
        if self.owned:
            return
        self._told.folders.pop(folder, None)
        self._told.completion.pop(folder, None)
        if row is not None:
            shown = msgspec.json.decode(row, type=FolderRow)
            self._told.folders[folder] = shown.status
            self._told.completion[folder] = shown.completion
        self.on_folder(folder)
