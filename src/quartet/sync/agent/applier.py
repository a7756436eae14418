"""Applies desired states to the engine and reports the result to the server."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from quartet.kernel.errors import AppError, Problem
from quartet.kernel.log import problem_text
from quartet.sync.agent.desired import engine_config, folder_errors
from quartet.sync.agent.hub_route import HubRoute
from quartet.sync.agent.paths import PathChecker, PathPolicy, expanded
from quartet.sync.agent.places import list_folders, list_places
from quartet.sync.agent.repairs import FolderRepairs
from quartet.sync.agent.scans import FolderScans
from quartet.sync.agent.store import Store, newer
from quartet.sync.engine import Engine, EngineCompletion, EngineConfig
from quartet.sync.engine.concurrency import run_until_first_exit
from quartet.sync.engine.ignores import told_patterns
from quartet.sync.engine.missing import missing_files
from quartet.sync.engine.types import NamedFile, NeededFile
from quartet.sync.protocol import (
    Applied,
    DesiredState,
    DriftedFile,
    FolderStatus,
    Inspect,
    Inspected,
    Status,
    TunnelStatus,
    encode,
)
from quartet.sync.protocol.limits import (
    DRIFTED_FILES,
    PATH_CHARS,
    PATTERN_CHARS,
    PATTERNS,
    RECONCILE_FIRST_SECONDS,
    RECONCILE_MOST_SECONDS,
)

log = logging.getLogger("quartet.sync.agent")

Send = Callable[[str], Awaitable[None]]


class DesiredStateApplier:
    def __init__(self, store: Store, policy: Callable[[], PathPolicy]) -> None:
        """`policy` returns the current policy: the owner may change it while the agent runs."""
        self._store = store
        self._policy = policy
        # The newest state accepted so far.
        self.accepted = store.accepted_state()
        self._repairs = FolderRepairs(store)
        self._engine: Engine | None = None
        # Only the latest state matters; older ones are skipped.
        self._state: DesiredState | None = None
        self._new_state = asyncio.Event()
        self._config = EngineConfig()
        self._new_config = asyncio.Event()
        self._changed: set[str] = set()
        self._some_changed = asyncio.Event()
        self._route: HubRoute | None = None
        self.scans = FolderScans()

    def attach(self, engine: Engine, route: HubRoute | None = None) -> None:
        self._engine, self._route = engine, route
        self.scans.attach(engine)

    def apply_again(self) -> None:
        """Apply the current state again, because the way to the hub has changed."""
        self._new_state.set()

    def report_again(self) -> None:
        self._some_changed.set()

    def folder_changed(self, folder: str) -> None:
        self._changed.add(folder)
        self._some_changed.set()
        self._repairs.due.set()

    def accept(self, state: DesiredState) -> str | None:
        """Take the state over, or return the code of the reason to refuse it."""
        seen = newer(self.accepted, state.epoch, state.revision)
        if seen is None:
            log.error("ignored revision %d, which is older than the current one", state.revision)
            return "epoch_left" if state.epoch in self.accepted.past else "revision_outdated"
        log.debug("revision %d received with %d folders", state.revision, len(state.folders))
        self.accepted = seen
        self._state = _with_full_paths(state, self._policy().home)
        self._new_state.set()
        return None

    def inspect(self, asked: Inspect) -> Inspected:
        """Return the patterns in a folder that may be shared; an empty list for any other path."""
        policy = self._policy()
        path = expanded(asked.path, policy.home)
        if PathChecker(policy).reserve(path, "") is not None:
            return Inspected(asked.request)
        found = [line.strip() for line in told_patterns(Path(path))]
        usable = [line for line in found if line and len(line) <= PATTERN_CHARS]
        return Inspected(asked.request, usable[:PATTERNS])

    def browse(self, asked: Inspect) -> Inspected:
        """Return the names of the folders in a folder that the owner allows, or all places."""
        policy, path = self._policy(), asked.browse
        if not path:
            return Inspected(asked.request, places=list_places(policy))
        found = list_folders(policy, Path(expanded(path, policy.home)))
        if found is None:
            return Inspected(asked.request)
        return Inspected(asked.request, folders=found.names, more=found.more)

    async def list_drifted(self, asked: Inspect) -> Inspected:
        """Return the first files of a shared folder that differ from its mode."""
        kinds = {each.id: each.type for each in self._config.folders}
        found: Sequence[NamedFile | NeededFile] = ()
        if self._engine is not None and asked.folder in kinds:
            rest = self._engine.rest
            with suppress(AppError):
                if kinds[asked.folder] == "sendonly":
                    found = await rest.needed(asked.folder, DRIFTED_FILES)
                else:
                    found = await rest.local_changes(asked.folder, DRIFTED_FILES)
        files = [DriftedFile(each.name[:PATH_CHARS], each.deleted) for each in found]
        return Inspected(asked.request, files=files[:DRIFTED_FILES])

    async def list_missing(self, asked: Inspect) -> Inspected:
        """Return the first files of a shared folder that this device lacks."""
        kinds = {each.id: each.type for each in self._config.folders}
        if self._engine is not None and asked.folder in kinds:
            receives = kinds[asked.folder] != "sendonly"
            with suppress(AppError):
                found = await missing_files(self._engine.rest, asked.folder, receives=receives)
                return Inspected(asked.request, missing=found)
        return Inspected(asked.request)

    def prepare_connection(self) -> None:
        """Prepare for a new connection: forget the old state and report every folder."""
        self._state = None
        self._changed = set(self._engine.statuses) if self._engine else set()
        self._some_changed.set()

    async def run(self, send: Send, interval: float) -> None:
        """Apply states and send status reports until the connection ends."""
        works = (
            self._apply_all(send),
            self._reopen_stalled(),
            self._archive_copies(),
            self.scans.run(send),
        )
        await run_until_first_exit(*works, self._report(send, interval))

    async def _apply_all(self, send: Send) -> None:
        while True:
            await self._new_state.wait()
            self._new_state.clear()
            if self._state is not None:
                await self._apply(self._state, send)

    async def _apply(self, state: DesiredState, send: Send) -> None:
        """Retry until the state is applied without problems or a newer one arrives."""
        reported: dict[str, Problem] | None = None
        delay: float = RECONCILE_FIRST_SECONDS
        while True:
            problems = await self._attempt(state)
            if problems is not None and problems != reported:
                _log_applied(state.revision, problems)
                await send(encode(Applied(state.revision, folder_errors(problems))))
                reported = problems
            if problems == {} or await self._is_replaced(delay):
                return
            delay = min(delay * 2, RECONCILE_MOST_SECONDS)

    async def _attempt(self, state: DesiredState) -> dict[str, Problem] | None:
        if self._engine is None:
            return None
        # Read the passwords on each attempt: one may have been entered in the meantime.
        passwords = self._store.passwords()
        config, refused = await asyncio.to_thread(engine_config, state, self._policy(), passwords)
        if self._route is not None:
            config = replace(config, peers=self._route.routed(config.peers))
        try:
            found = await self._engine.apply(config)
        except AppError as error:
            log.warning("revision %d not applied: %s", state.revision, error)
            return None
        # Saved before the answer to the server, but after the engine has applied the state, because
        # both write to the same disk.
        await asyncio.to_thread(self._store.save_accepted_state, self.accepted)
        problems = {**refused, **found}
        await self._repairs.perform(self._engine, state, problems)
        self._config = config
        self._new_config.set()
        return problems

    async def _archive_copies(self) -> None:
        while True:
            await self._repairs.due.wait()
            self._repairs.due.clear()
            if self._engine is not None:
                await self._repairs.archive_copies(self._engine)

    async def _reopen_stalled(self) -> None:
        while True:
            await self._new_config.wait()
            self._new_config.clear()
            if self._engine is not None:
                with suppress(AppError):
                    await self._engine.reopen_stalled_connections(self._config)

    async def _is_replaced(self, seconds: float) -> bool:
        """Wait for a newer state; return False if none arrives in time."""
        try:
            await asyncio.wait_for(self._new_state.wait(), seconds)
        except TimeoutError:
            return False
        return True

    async def _report(self, send: Send, interval: float) -> None:
        reported: TunnelStatus | None = None
        while True:
            await self._some_changed.wait()
            self._some_changed.clear()
            changed, self._changed = self._changed, set()
            tunnel = self._route.status if self._route else None
            if self._engine is not None and (changed or tunnel != reported):
                folders = {each: self._status(self._engine, each) for each in changed}
                await send(encode(Status(folders, tunnel)))
                reported = tunnel
            await asyncio.sleep(interval)

    def _status(self, engine: Engine, folder: str) -> FolderStatus:
        status = engine.statuses.get(folder, FolderStatus("stopped"))
        return with_unsent(status, engine.completions.get(folder, {}))


def with_unsent(status: FolderStatus, completions: Mapping[str, EngineCompletion]) -> FolderStatus:
    """Add what the hub, which is the only peer, has yet to receive.

    The engine reports that a hub without an index lacks nothing, although it may lack everything.
    """
    known = completions.values()
    if not known or not all(each.known for each in known):
        files, size = status.files, status.bytes
        return replace(status, unsent_items=files, unsent_bytes=size, hub_known=False)
    items = sum(max(each.need_items, 0) + max(each.need_deletes, 0) for each in known)
    size = sum(max(each.need_bytes, 0) for each in known)
    return replace(status, unsent_items=items, unsent_bytes=size)


def _with_full_paths(state: DesiredState, home: Path) -> DesiredState:
    folders = [replace(each, path=expanded(each.path, home)) for each in state.folders]
    return replace(state, folders=folders)


def _log_applied(revision: int, problems: Mapping[str, Problem]) -> None:
    for folder, problem in problems.items():
        log.warning("revision %d: folder %s failed: %s", revision, folder, problem_text(problem))
    log.info("revision %d applied: %d folders failed", revision, len(problems))
