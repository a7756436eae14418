"""Runs the hub's engine and keeps it at the desired state."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from msgspec.structs import replace

from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.sync.config.types.desired import HubState
from quartet.sync.engine import DiskChange, Engine, EngineConfig, find_or_download
from quartet.sync.engine.concurrency import run_until_first_exit
from quartet.sync.engine.missing import missing_files, missing_on_peer
from quartet.sync.hub.completions import shown_completions
from quartet.sync.hub.engine_config import hub_config
from quartet.sync.hub.gate import Gate
from quartet.sync.hub.letter_case import LetterCase
from quartet.sync.hub.listening import ListenWatch
from quartet.sync.hub.pending_files import file_sizes, pending_changes
from quartet.sync.hub.stale_copies import move_stale_copies
from quartet.sync.hub.types import (
    HubChange,
    HubPhase,
    HubReport,
    PendingChanges,
    PendingDevice,
)
from quartet.sync.names import clean_name
from quartet.sync.protocol import MissingFiles
from quartet.sync.protocol.limits import (
    HUB_PORT,
    RECONCILE_FIRST_SECONDS,
    RECONCILE_MOST_SECONDS,
)

log = logging.getLogger("quartet.sync.hub")

# Codes that mean a folder was not configured as wanted.
NOT_DONE = ("engine_refused", "not_applied")


class LocalHub:
    def __init__(
        self,
        data: Path,
        *,
        listen: str = f"0.0.0.0:{HUB_PORT}",
        program: Path | None = None,
        additional: bool = False,
        guarded: bool = False,
    ) -> None:
        self._data = data.absolute()
        self._listen = f"tcp://{listen}"
        self._program = program
        # An additional hub loses a folder when the last of its devices loses it; the main hub keeps
        # each folder until it is removed.
        self._additional = additional
        # The main hub checks changes before it follows them.
        gate = Gate(self._data / "gate")
        self.gate = gate if gate.works and guarded and not additional else None
        # Called with the id of a folder whose status changed.
        self.status_listeners: list[Callable[[str], None]] = []
        self.change_listeners: list[Callable[[list[HubChange]], None]] = []
        # Called when the engine has started; its id is not known before the first start.
        self.start_listeners: list[Callable[[], None]] = []
        # Called with each message of an engine that migrates its database.
        self.migration_listeners: list[Callable[[], None]] = []
        # Called when peers connect or disconnect, and when unknown devices ask to join.
        self.peer_listeners: list[Callable[[], None]] = []
        self._engine: Engine | None = None
        self._listening = ListenWatch(self._peers_changed)
        self._letter_case = LetterCase(self._data / "folders")
        # Stored, so that devices keep their hub while the server restarts.
        self._id_file = self._data / "hub-id"
        self._id = self._id_file.read_text() if self._id_file.is_file() else ""
        self._version = ""
        self._state: HubPhase = "stopped"
        self._error: Problem | None = None
        self._wanted: HubState | None = None
        # Engine ids of devices without an agent; agents report themselves.
        self._agentless: list[str] = []
        self._applied_revision = 0
        self._wake = asyncio.Event()
        # Set when the engine is to be started.
        self.needed = asyncio.Event()
        self._waiters: list[asyncio.Future[None]] = []

    async def run(self) -> None:
        """Run the engine until it fails; the supervisor restarts it."""
        self._state = "starting"
        try:
            engine = await self._start()
            try:
                await run_until_first_exit(
                    engine.run(), self._reconciling(engine), self._listening.run(engine)
                )
            finally:
                self._engine = None
                with self.gate.interrupted() if self.gate else nullcontext():
                    await asyncio.shield(engine.stop())
        except asyncio.CancelledError:
            self._state = "stopped"
            raise
        except Exception as error:
            self._state, self._error = "retrying", problem_of(error)
            raise
        finally:
            self._tried()
            self._peers_changed()

    async def reconcile(self, state: HubState) -> None:
        """Return when the state is applied, or after the first failure; the hub keeps retrying."""
        log.debug(
            "hub: revision %d with %d devices and %d folders is to be applied",
            state.revision,
            len(state.peers),
            len(state.folders),
        )
        self._wanted = state
        self._agentless = [each.engine_id for each in state.peers if each.agentless]
        self._wake.set()
        if self._engine is not None:
            waiter = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            await waiter

    def state(self) -> HubReport:
        engine = self._engine
        if engine is None:
            return self.brief()
        return replace(
            self.brief(),
            folders=dict(engine.statuses),
            completion=shown_completions(engine.completions),
        )

    def brief(self) -> HubReport:
        """Return a report without folders, which may be many."""
        unreachable = self._listening.problem if self._state == "running" else None
        return HubReport(
            state="retrying" if unreachable else self._state,
            engine_id=self._id,
            engine_version=self._version,
            error=unreachable or self._error,
            applied_revision=self._applied_revision,
            connected=self._connected(),
            pending=self._pending_devices(),
        )

    async def scan(self, folder: str, path: str = "") -> None:
        await self.engine.rest.scan(folder, path)

    async def made_by(self, folder: str, path: str) -> str | None:
        """Return the engine id of the device that last changed the file."""
        return self._device_of(await self.engine.rest.modified_by(folder, path))

    async def pending(self, folder: str) -> PendingChanges:
        root = self._data / "folders" / folder
        return await pending_changes(self.engine.rest, folder, root, self._device_of)

    async def missing(self, folder: str) -> MissingFiles:
        return await missing_files(self.engine.rest, folder)

    async def missing_on(self, folder: str, device: str) -> MissingFiles:
        return await missing_on_peer(self.engine.rest, folder, device)

    async def rescan(self, folder: str) -> None:
        await self.engine.rescan(folder)

    async def sizes(self, folder: str, paths: list[str]) -> dict[str, int]:
        return await asyncio.to_thread(file_sizes, self._data / "folders" / folder, paths)

    async def received(self, folder: str, device: str) -> int:
        return (await self.engine.rest.completion(folder, device)).sequence

    async def impose(self, folder: str, device: str) -> None:
        try:
            await self.engine.impose(folder, device)
        finally:
            # Apply the normal configuration again.
            if self._wanted is not None:
                self._wanted = replace(self._wanted)
            self._wake.set()

    def request_start(self) -> None:
        self.needed.set()

    async def dismiss(self, engine_id: str) -> None:
        await self.engine.rest.forget_pending_peer(engine_id)

    def _connected(self) -> dict[str, str]:
        peers = self._engine.peers if self._engine else None
        if peers is None:
            return {}
        return {
            engine_id: clean_name(peers.connected[engine_id])
            for engine_id in self._agentless
            if engine_id in peers.connected
        }

    def _pending_devices(self) -> list[PendingDevice]:
        peers = self._engine.peers if self._engine else None
        return [
            PendingDevice(engine_id, clean_name(each.name, engine_id[:7]), clean_name(each.address))
            for engine_id, each in (peers.pending if peers else {}).items()
        ]

    def _peers_changed(self) -> None:
        for listener in self.peer_listeners:
            listener()

    @property
    def engine(self) -> Engine:
        if self._engine is None:
            raise AppError(503, "engine_unreachable")
        return self._engine

    async def _start(self) -> Engine:
        folders = self._data / "folders"
        folders.mkdir(mode=0o700, parents=True, exist_ok=True)
        await self._letter_case.look_again()
        if self.gate is not None:
            self.gate.prepare()
        engine = Engine(
            await find_or_download(self._program, self._data / "programs", self._data / "hub"),
            self._data / "hub",
            listen=[self._listen],
            on_status=self._status_changed,
            on_changes=self._changed,
            completions=True,
            on_peers=self._peers_changed,
        )
        await engine.start(self._on_migration)
        self._engine, self._id, self._version = engine, engine.id, engine.version
        self._id_file.write_text(engine.id)
        self._state, self._error = "running", None
        for listener in self.start_listeners:
            listener()
        return engine

    def _on_migration(self, line: str) -> None:
        self._error = Problem("engine_migrating", {"progress": line})
        for listener in self.migration_listeners:
            listener()

    async def _reconciling(self, engine: Engine) -> None:
        done: HubState | None = None
        delay: float = RECONCILE_FIRST_SECONDS
        while True:
            wanted = self._wanted
            self._wake.clear()
            if wanted is None or wanted is done:
                await self._wake.wait()
                continue
            waiters = list(self._waiters)
            well = await self._attempt(engine, wanted, waiters)
            self._tried(waiters)
            if well:
                done, delay = wanted, RECONCILE_FIRST_SECONDS
            elif self._wanted is not wanted or await self._woken(delay):
                delay = RECONCILE_FIRST_SECONDS
            else:
                delay = min(delay * 2, RECONCILE_MOST_SECONDS)

    async def _attempt(
        self, engine: Engine, wanted: HubState, waiters: list[asyncio.Future[None]]
    ) -> bool:
        try:
            if self._additional:
                await move_stale_copies(engine, wanted, self._data)
            config = await self._engine_config(wanted)
            with self.gate.interrupted() if self.gate else nullcontext():
                problems = await engine.apply(config, lambda: self._tried(waiters))
        except AppError as error:
            log.warning("revision %d not applied: %s", wanted.revision, error)
            self._state, self._error = "retrying", problem_of(error)
            return False
        self._error = next(iter(problems.values()), None)
        if any(problem.code in NOT_DONE for problem in problems.values()):
            self._state = "retrying"
            return False
        if self._applied_revision != wanted.revision:
            log.info("hub: revision %d applied: %d problems", wanted.revision, len(problems))
        self._state, self._applied_revision = "running", wanted.revision
        return not problems

    async def _engine_config(self, wanted: HubState) -> EngineConfig:
        folders = self._data / "folders"
        sensitive = await self._letter_case.of(each.id for each in wanted.folders)
        return hub_config(wanted, folders, self.gate, sensitive)

    async def _woken(self, seconds: float) -> bool:
        """Wait for a new desired state; return False if none arrives in time."""
        try:
            await asyncio.wait_for(self._wake.wait(), seconds)
        except TimeoutError:
            return False
        return True

    def _tried(self, waiters: list[asyncio.Future[None]] | None = None) -> None:
        for waiter in list(self._waiters) if waiters is None else waiters:
            if waiter in self._waiters:
                self._waiters.remove(waiter)
            if not waiter.done():
                waiter.set_result(None)

    def _status_changed(self, folder: str) -> None:
        for listener in self.status_listeners:
            listener(folder)

    def _changed(self, changes: list[DiskChange]) -> None:
        found = [
            HubChange(
                each.folder, self._device_of(each.modified_by), each.action, each.path, each.type
            )
            for each in changes
        ]
        for listener in self.change_listeners:
            listener(found)

    def _device_of(self, short: str) -> str | None:
        wanted = self._wanted
        known = [self._id]
        if wanted is not None:
            known += [*(peer.engine_id for peer in wanted.peers), *wanted.elsewhere]
        return next((each for each in known if short and each.startswith(short)), None)
