"""Tracks the status of an engine's folders through its events."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar, get_args

import msgspec

from quartet.kernel.errors import AppError
from quartet.sync.engine.concurrency import run_until_first_exit
from quartet.sync.engine.rest import Rest
from quartet.sync.engine.types import EngineCompletion, EngineEvent, EngineFolder, Summary
from quartet.sync.protocol import FolderStatus
from quartet.sync.protocol.messages import FolderState

T = TypeVar("T")

WAIT_SECONDS = 30
# The engine may publish a summary before it has counted reverted files, and no other one.
RECHECK_SECONDS = 3
# Querying the completion of a device is expensive, so limit it per folder.
COMPLETION_SECONDS = 1.0
TYPES = (
    "StateChanged,FolderSummary,FolderCompletion,RemoteIndexUpdated,FolderPaused,FolderResumed,"
    "DeviceDisconnected"
)
_STATES: frozenset[str] = frozenset(get_args(FolderState))


class Monitor:
    """Calls `on_change` with the folder id on every change, and `on_lost` with the engine id of a
    peer that is no longer connected.
    """

    def __init__(
        self,
        rest: Rest,
        on_change: Callable[[str], None],
        on_lost: Callable[[str], None] = lambda _peer: None,
        *,
        completions: bool = False,
    ) -> None:
        self.statuses: dict[str, FolderStatus] = {}
        # By folder and device, including offline devices.
        self.completions: dict[str, dict[str, EngineCompletion]] = {}
        self._rest = rest
        self._on_change = on_change
        self._on_lost = on_lost
        self._with_completions = completions
        self._folders: dict[str, EngineFolder] = {}
        # Number of summaries received as events, by folder.
        self._summary_events: Counter[str] = Counter()
        # Folders to query again: their summary may be outdated, or the engine refused to answer.
        # Completions are refreshed for the stale ones.
        self._to_recheck: set[str] = set()
        self._stale: set[str] = set()
        self._some_stale = asyncio.Event()

    async def watch(self, folders: Mapping[str, EngineFolder]) -> None:
        """Monitor exactly these folders from now on."""
        fresh = [each for each in folders if folders[each] != self._folders.get(each)]
        self._folders = dict(folders)
        for gone in self.statuses.keys() - folders.keys():
            del self.statuses[gone]
            self.completions.pop(gone, None)
            self._on_change(gone)
        await self._query(fresh)

    async def run(self) -> None:
        works = [self._follow(), *([self._refresh_completions()] if self._with_completions else [])]
        await run_until_first_exit(*works)

    async def _follow(self) -> None:
        # Get the event position before reading the state, so that no change in between is missed.
        since = _last(await self._rest.events(0, 0, types=TYPES), 0)
        await self._query(list(self._folders))
        while True:
            drifted = [each for each in self._folders if self._has_drifted(each)]
            wait = RECHECK_SECONDS if drifted or self._to_recheck else WAIT_SECONDS
            events = await self._rest.events(since, wait, types=TYPES)
            if not events:
                self._to_recheck.update(drifted)
            if events and since and events[0].id > since + 1:
                # Events were lost: the engine keeps only the last thousand.
                await self._query(list(self._folders))
            since = _last(events, since)
            for event in events:
                self._handle_event(event)
            to_recheck, self._to_recheck = self._to_recheck, set()
            await self._query([each for each in to_recheck if each in self._folders])

    def _has_drifted(self, folder: str) -> bool:
        return folder in self.statuses and self.statuses[folder].drifted > 0

    def _handle_event(self, event: EngineEvent) -> None:
        data = event.data if isinstance(event.data, dict) else {}
        if event.type == "DeviceDisconnected":
            self._on_lost(str(data.get("id")))
            return
        folder = data.get("folder") or data.get("id")
        if folder not in self._folders:
            return
        if event.type == "FolderSummary":
            self._summary_events[folder] += 1
            self._summarised(folder, msgspec.convert(data["summary"], Summary))
        elif event.type == "StateChanged":
            self._state_changed(folder, str(data["to"]))
        elif event.type == "FolderPaused":
            self._set_status(folder, FolderStatus("paused"))
        self._mark_stale(folder)

    def _state_changed(self, folder: str, word: str) -> None:
        status = self.statuses.get(folder)
        if status is None or status.state == "paused":
            # The counts are unknown until the folder is queried.
            self._to_recheck.add(folder)
            return
        self._set_status(folder, msgspec.structs.replace(status, state=state_of(word)))
        if status.drifted and word == "idle":
            self._to_recheck.add(folder)

    async def _query(self, folders: list[str]) -> None:
        counts = {folder: self._summary_events[folder] for folder in folders}
        summaries = await asyncio.gather(
            *(_none_if_refused(self._rest.summary(folder)) for folder in folders)
        )
        for folder, summary in zip(folders, summaries, strict=True):
            if summary is None:
                self._to_recheck.add(folder)
            # A summary event that arrived in the meantime is newer than this answer.
            elif folder in self._folders and self._summary_events[folder] == counts[folder]:
                self._summarised(folder, summary)
                self._mark_stale(folder)

    def _summarised(self, folder: str, summary: Summary) -> None:
        self._set_status(folder, status_of(summary, self._folders[folder].type))

    def _set_status(self, folder: str, status: FolderStatus) -> None:
        if self.statuses.get(folder) != status:
            self.statuses[folder] = status
            self._on_change(folder)

    def _mark_stale(self, folder: str) -> None:
        if self._with_completions:
            self._stale.add(folder)
            self._some_stale.set()

    async def _refresh_completions(self) -> None:
        while True:
            await self._some_stale.wait()
            self._some_stale.clear()
            stale, self._stale = self._stale, set()
            for folder in stale:
                if self._has_completion(folder):
                    await self._refresh_completion(folder)
            await asyncio.sleep(COMPLETION_SECONDS)

    def _has_completion(self, folder: str) -> bool:
        """Return False for a folder that was removed, or is paused: the engine would refuse."""
        status = self.statuses.get(folder)
        return folder in self._folders and (status is None or status.state != "paused")

    async def _refresh_completion(self, folder: str) -> None:
        devices = self._folders[folder].peers
        found = await asyncio.gather(
            *(_none_if_refused(self._rest.completion(folder, each)) for each in devices)
        )
        answers = dict(zip(devices, found, strict=True))
        if None in found:
            self._mark_stale(folder)
        known = self.completions.get(folder, {})
        new = {
            device: figures
            for device, answer in answers.items()
            if (figures := answer or known.get(device))
        }
        if folder in self._folders and self.completions.get(folder) != new:
            self.completions[folder] = new
            self._on_change(folder)


async def _none_if_refused(answer: Awaitable[T]) -> T | None:
    """Return None if the engine refuses, for example because the folder is paused or removed."""
    try:
        return await answer
    except AppError as error:
        if error.code != "engine_refused":
            raise
        return None


def status_of(summary: Summary, folder_type: str) -> FolderStatus:
    sends = folder_type == "sendonly"
    drifted = summary.need_total_items if sends else summary.receive_only_total_items
    state = state_of(summary.state)
    return FolderStatus(
        state=state,
        files=max(summary.global_files, 0),
        bytes=max(summary.global_bytes, 0),
        # A send-only folder downloads nothing; its missing items are changes of other devices.
        need_files=0 if sends else max(summary.need_total_items, 0),
        need_bytes=0 if sends else max(summary.need_bytes, 0),
        errors=max(summary.pull_errors, 0) + (state == "error"),
        drifted=max(drifted, 0),
    )


def state_of(word: str) -> FolderState:
    """Map the engine's state; it is empty for a paused folder."""
    state = word or "paused"
    return state if state in _STATES else "unknown"  # type: ignore[return-value]


def _last(events: list[EngineEvent], since: int) -> int:
    return events[-1].id if events else since
