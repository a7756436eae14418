"""Runs transfers for the queue: by the transfer engine or by an external program."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

from quartet.downloads.queue.types import SpeedLimits
from quartet.downloads.transfer import Engine, Job, Outcome, Paused, Programs, Snapshot

KIB = 1024
# Without a transfer for so long, nothing is being fetched.
_IDLE_SECONDS = 0.02

# Creates an engine that reports each outcome from its own thread.
MakeEngine = Callable[[Callable[[Outcome], None]], Engine]

# ("all", 0), ("id", download id) or ("group", package id).
Scope = tuple[str, int]


class Fetcher:
    """Creates the engine with the first job, because most processes never need one."""

    def __init__(self, make: MakeEngine) -> None:
        self._make = make
        self._engine: Engine | None = None
        self._programs = Programs()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: dict[int, asyncio.Future[Outcome]] = {}
        # Set while nothing is being fetched.
        self.idle = asyncio.Event()
        self.idle.set()
        self._outcomes: deque[Outcome] = deque()
        self._woken = False
        self._stopped = False
        self._limits: dict[Scope, int] = {}
        self._wanted_limits: dict[Scope, int] = {}
        # Returns the files of running torrents, which other objects fetch.
        self.torrent_snapshots: Callable[[], Iterable[Snapshot]] = lambda: ()

    async def fetch(self, job: Job) -> Outcome:
        """Fetch the file; returns when the engine has closed the part file."""
        if self._stopped:
            return Paused(job.id)
        if job.program:
            return await self._programs.fetch(job, job.program, self._limit_of(job))
        if self._engine is None:
            self._loop = asyncio.get_running_loop()
            self._engine = self._make(self._report)
            self._set_limits(self._engine)
        ended: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting[job.id] = ended
        self.idle.clear()
        try:
            self._engine.begin(job)
            return await ended
        finally:
            del self._waiting[job.id]
            if not self._waiting:
                # Small files often end together, and the next ones start a moment later.
                asyncio.get_running_loop().call_later(_IDLE_SECONDS, self._set_idle)

    def _set_idle(self) -> None:
        if not self._waiting:
            self.idle.set()

    def pause(self, id: int) -> None:
        """Pause the transfer; does nothing if the download is not being fetched."""
        if self._engine and id in self._waiting:
            self._engine.pause(id)
        self._programs.pause(id)

    def limit(self, kib: int, others: Iterable[SpeedLimits]) -> None:
        self._limit({("all", 0): kib, **_by_scope(others)})

    def limit_starting(self, starting: Iterable[SpeedLimits]) -> None:
        """Limit downloads that are about to start; the limits of all others stay."""
        self._limit({**self._wanted_limits, **_by_scope(starting)})

    def _limit(self, wanted: Mapping[Scope, int]) -> None:
        self._wanted_limits = {scope: limit for scope, limit in wanted.items() if limit}
        if self._engine:
            self._set_limits(self._engine)
        self._programs.limit(self._limit_of)

    def _limit_of(self, job: Job) -> int:
        """Return bytes per second. Programs cannot share a limit, so each gets the lowest one."""
        scopes = (("all", 0), ("id", job.id), ("group", job.group or 0))
        limits = [self._wanted_limits[scope] for scope in scopes if scope in self._wanted_limits]
        return min(limits, default=0) * KIB

    def _set_limits(self, engine: Engine) -> None:
        """Apply changed limits only, because setting a limit again would reset its token bucket."""
        wanted, now = self._wanted_limits, self._limits
        for scope in wanted.keys() | now.keys():
            limit = wanted.get(scope, 0)
            if limit != now.get(scope, 0):
                kind, number = scope
                which = {} if kind == "all" else {kind: number}
                engine.limit(limit * KIB or None, **which)
        self._limits = wanted

    def snapshots(self) -> dict[int, Snapshot]:
        fetched = self._engine.snapshots() if self._engine else []
        return {each.id: each for each in (*fetched, *self._others())}

    @property
    def speed(self) -> float:
        """Bytes per second of everything that is being fetched."""
        engine = self._engine.speed if self._engine and not self.idle.is_set() else 0
        return engine + sum(each.speed for each in self._others())

    def _others(self) -> list[Snapshot]:
        return [*self._programs.snapshots(), *self.torrent_snapshots()]

    async def stop(self) -> None:
        self._stopped = True
        await self._programs.stop()
        if self._engine:
            engine, self._engine = self._engine, None
            await asyncio.to_thread(engine.stop)

    def _report(self, outcome: Outcome) -> None:
        self._outcomes.append(outcome)
        # Waking the event loop costs more than passing an outcome, so it is woken once for several.
        if self._loop is None or self._woken:
            return
        self._woken = True
        # Ignore outcomes that are reported after the event loop was closed.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._set_outcomes)

    def _set_outcomes(self) -> None:
        # Reset first: an outcome that is appended from now on wakes the loop again.
        self._woken = False
        while self._outcomes:
            outcome = self._outcomes.popleft()
            ended = self._waiting.get(outcome.id)
            if ended and not ended.done():
                ended.set_result(outcome)


def _by_scope(limits: Iterable[SpeedLimits]) -> dict[Scope, int]:
    found: dict[Scope, int] = {}
    for each in limits:
        found["id", each.id] = each.of_download
        found["group", each.package_id] = each.of_package
    return found
