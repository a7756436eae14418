"""How the folders of an engine are, from its events."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar, get_args

import msgspec

from quartet.kernel.errors import AppError
from quartet.sync.engine.rest import Rest
from quartet.sync.engine.together import together
from quartet.sync.engine.types import Completion, EngineFolder, Event, Summary
from quartet.sync.protocol import FolderStatus
from quartet.sync.protocol.messages import FolderState

T = TypeVar("T")

WAIT_SECONDS = 30
# The engine may sum a folder up before it has counted what was just put right, and say no more.
DOUBT_SECONDS = 3
# Reading how much a device has is dear: at most this often for one folder.
COMPLETION_SECONDS = 1.0
TYPES = "StateChanged,FolderSummary,FolderCompletion,RemoteIndexUpdated,FolderPaused,FolderResumed"
_STATES: frozenset[str] = frozenset(get_args(FolderState))


class Monitor:
    """Tells of every change through `on_change`, with the id of the folder."""

    def __init__(
        self, rest: Rest, on_change: Callable[[str], None], *, completions: bool = False
    ) -> None:
        self.statuses: dict[str, FolderStatus] = {}
        # Per folder and device, also of devices that are offline.
        self.completions: dict[str, dict[str, Completion]] = {}
        self._rest = rest
        self._on_change = on_change
        self._with_completions = completions
        self._folders: dict[str, EngineFolder] = {}
        # How often the engine has summed up a folder by itself.
        self._told: Counter[str] = Counter()
        # Folders that were put right, perhaps: the engine sums them up when it likes. And those it
        # would not tell of.
        self._doubtful: set[str] = set()
        self._stale: set[str] = set()
        self._some_stale = asyncio.Event()

    async def watch(self, folders: Mapping[str, EngineFolder]) -> None:
        """From now on these folders, and no others."""
        fresh = [each for each in folders if folders[each] != self._folders.get(each)]
        self._folders = dict(folders)
        for gone in self.statuses.keys() - folders.keys():
            del self.statuses[gone]
            self.completions.pop(gone, None)
            self._on_change(gone)
        await self._read(fresh)

    async def run(self) -> None:
        works = [self._follow(), *([self._complete()] if self._with_completions else [])]
        await together(*works)

    async def _follow(self) -> None:
        # Opened before the state is read, or a change in between would be missed.
        since = _last(await self._rest.events(0, 0, types=TYPES), 0)
        await self._read(list(self._folders))
        while True:
            drifted = [each for each in self._folders if self._has_drifted(each)]
            wait = DOUBT_SECONDS if drifted or self._doubtful else WAIT_SECONDS
            events = await self._rest.events(since, wait, types=TYPES)
            if not events:
                self._doubtful.update(drifted)
            if events and since and events[0].id > since + 1:
                # The engine keeps the last thousand only.
                await self._read(list(self._folders))
            since = _last(events, since)
            for event in events:
                self._take(event)
            doubtful, self._doubtful = self._doubtful, set()
            await self._read([each for each in doubtful if each in self._folders])

    def _has_drifted(self, folder: str) -> bool:
        return folder in self.statuses and self.statuses[folder].drifted > 0

    def _take(self, event: Event) -> None:
        data = event.data if isinstance(event.data, dict) else {}
        folder = data.get("folder") or data.get("id")
        if folder not in self._folders:
            return
        if event.type == "FolderSummary":
            self._told[folder] += 1
            self._summarised(folder, msgspec.convert(data["summary"], Summary))
        elif event.type == "StateChanged":
            self._became(folder, str(data["to"]))
        elif event.type == "FolderPaused":
            self._put(folder, FolderStatus("paused"))
        self._outdate(folder)

    def _became(self, folder: str, word: str) -> None:
        status = self.statuses.get(folder)
        if status is None or status.state == "paused":
            # How much is in it is not known yet, which is not the same as nothing.
            self._doubtful.add(folder)
            return
        self._put(folder, msgspec.structs.replace(status, state=state_of(word)))
        if status.drifted and word == "idle":
            self._doubtful.add(folder)

    async def _read(self, folders: list[str]) -> None:
        told = {folder: self._told[folder] for folder in folders}
        summaries = await asyncio.gather(
            *(_unless_refused(self._rest.summary(folder)) for folder in folders)
        )
        for folder, summary in zip(folders, summaries, strict=True):
            if summary is None:
                self._doubtful.add(folder)
            # What the engine has told meanwhile is newer than what it answered.
            elif folder in self._folders and self._told[folder] == told[folder]:
                self._summarised(folder, summary)
                self._outdate(folder)

    def _summarised(self, folder: str, summary: Summary) -> None:
        self._put(folder, status_of(summary, self._folders[folder].type))

    def _put(self, folder: str, status: FolderStatus) -> None:
        if self.statuses.get(folder) != status:
            self.statuses[folder] = status
            self._on_change(folder)

    def _outdate(self, folder: str) -> None:
        if self._with_completions:
            self._stale.add(folder)
            self._some_stale.set()

    async def _complete(self) -> None:
        while True:
            await self._some_stale.wait()
            self._some_stale.clear()
            stale, self._stale = self._stale, set()
            for folder in stale:
                # It may go while another is read.
                if folder in self._folders:
                    await self._complete_one(folder)
            await asyncio.sleep(COMPLETION_SECONDS)

    async def _complete_one(self, folder: str) -> None:
        devices = self._folders[folder].peers
        found = await asyncio.gather(
            *(_unless_refused(self._rest.completion(folder, each)) for each in devices)
        )
        answers = dict(zip(devices, found, strict=True))
        if None in found:
            self._outdate(folder)
        known = self.completions.get(folder, {})
        new = {
            device: figures
            for device, answer in answers.items()
            if (figures := answer or known.get(device))
        }
        if folder in self._folders and self.completions.get(folder) != new:
            self.completions[folder] = new
            self._on_change(folder)


async def _unless_refused(answer: Awaitable[T]) -> T | None:
    """A folder may just be paused, or gone already: no reason to give up watching the others."""
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
        # A send-only folder wants nothing: what it lacks are changes of others.
        need_files=0 if sends else max(summary.need_total_items, 0),
        need_bytes=0 if sends else max(summary.need_bytes, 0),
        errors=max(summary.pull_errors, 0) + (state == "error"),
        drifted=max(drifted, 0),
    )


def state_of(word: str) -> FolderState:
    """The engine tells nothing about a folder that is paused."""
    state = word or "paused"
    return state if state in _STATES else "unknown"  # type: ignore[return-value]


def _last(events: list[Event], since: int) -> int:
    return events[-1].id if events else since
