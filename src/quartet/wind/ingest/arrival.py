"""Fetch one run from its provider and store it.

Nothing is known for certain in advance: files appear over an hour or two, may be late, truncated
or never come. A run is fetched in rounds until all expected steps have arrived, or until the
provider has stopped adding files; then it is served with the steps it has.
"""

import asyncio
import logging
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from quartet.kernel.errors import AppError, Problem
from quartet.wind.grid import writing
from quartet.wind.grid.layout import Header
from quartet.wind.ingest.rounds import Rounds
from quartet.wind.ingest.run_files import STALL_SECONDS, RunFiles
from quartet.wind.ingest.run_grids import RunGrid, RunGrids
from quartet.wind.ingest.tools import Tools
from quartet.wind.ingest.types import Incoming, SourceState
from quartet.wind.models.refused import NotYet, Refused
from quartet.wind.models.types import Model

if TYPE_CHECKING:
    from quartet.wind.grid.reading import StoredRun

log = logging.getLogger("quartet.wind.ingest")

# The pause between rounds grows by this factor while nothing new appears, up to this multiple.
_PAUSE_GROWTH = 1.5
_LONGEST_PAUSE = 10
# Seconds without any new file, after which a step is stored without gusts and weather.
EXTRAS_SECONDS = 5 * 60


class Arrival:
    """Fetches a run until it is served or given up.

    `meanwhile` is called while the provider does not have the run yet.
    """

    def __init__(
        self,
        tools: Tools,
        model: Model,
        run: int,
        state: SourceState,
        meanwhile: Callable[[], Awaitable[None]],
    ) -> None:
        self._tools = tools
        self._model = model
        self._run = run
        self._state = state
        self._meanwhile = meanwhile
        self._files = RunFiles(tools, model, run)
        self._expected = self._files.expected
        self._rounds = Rounds(tools, model, run, self._files, state)
        self._growth = Growth(tools, model, self._files)
        self._pause = tools.poll

    async def complete(self) -> "StoredRun":
        """Return the run when it is served.

        Raises `run_incomplete` if it has no step at all, and `disk_full` or `disk_failed`.
        """
        try:
            return await self._complete()
        except OSError as error:
            raise writing.disk_error(error) from None

    async def _complete(self) -> "StoredRun":
        self._state.incoming = Incoming(self._run, len(self._expected))
        begun = await RunGrids(self._tools, self._model, self._run).begun()
        place = begun or await self._wait_for_place()
        self._expected = await self._files.learn_steps()
        log.debug("%s: run %d found: %d steps expected", *self._ids, len(self._expected))
        self._growth.watch()
        header = Header(
            self._model.id,
            self._run,
            self._expected,
            place.grid,
            int(self._tools.clock()),
            channels=self._model.channels,
            cells=place.cells,
        )
        folder = await asyncio.to_thread(writing.resume, self._tools.catalogue.folder, header)
        try:
            await self._resume(folder, header)
            await self._collect(folder, header)
            if not self._rounds.stored:
                raise self._incomplete()
            finished = await self._rounds.assemble(folder, header)
        except asyncio.CancelledError:
            # The process ends: what has arrived is not fetched again after its restart.
            raise
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        log.debug("%s: run %d stored, it replaces the served one", *self._ids)
        return await asyncio.to_thread(self._tools.catalogue.add, finished)

    @property
    def _ids(self) -> tuple[str, int]:
        return self._model.id, self._run

    async def _resume(self, folder: Path, header: Header) -> None:
        # Imported here: a service without any run need not load numpy.
        from quartet.wind.grid.steps import stored_steps

        self._rounds.stored = await asyncio.to_thread(stored_steps, folder, header)
        self._files.skip(self._rounds.stored)
        if self._state.incoming is not None:
            self._state.incoming.done = len(self._rounds.stored)
        if self._rounds.stored:
            log.info("%s: run %d continues after %d steps", *self._ids, len(self._rounds.stored))

    async def _wait_for_place(self) -> RunGrid:
        while True:
            try:
                return await self._files.find_place()
            except (NotYet, Refused, AppError) as error:
                self._rounds.note(error)
            # A clock that was ahead and has been set right: the run does not even exist yet.
            too_early = self._tools.clock() < self._run
            if too_early or self._growth.is_past_deadline(self._pause):
                raise self._incomplete()
            await self._meanwhile()
            await self._rest(progress=False)

    async def _collect(self, folder: Path, header: Header) -> None:
        while True:
            with_extras = self._growth.still < EXTRAS_SECONDS
            before, listed = len(self._rounds.stored), self._files.most_listed
            complete = await self._rounds.fetch(folder, header, with_extras=with_extras)
            if complete:
                return
            grown = len(self._rounds.stored) > before or self._files.most_listed > listed
            self._growth.looked(answered=self._rounds.answered is not False, grown=grown)
            if not grown and self._growth.has_stopped(self._pause):
                await self._rounds.fetch(folder, header, with_extras=False, last=True)
                return
            await self._rest(progress=grown)

    async def _rest(self, *, progress: bool) -> None:
        poll = self._tools.poll
        longest = _LONGEST_PAUSE * poll
        self._pause = poll if progress else min(self._pause, longest)
        await self._tools.sleep(self._pause)
        if not progress:
            self._pause = min(self._pause * _PAUSE_GROWTH, longest)

    def _incomplete(self) -> AppError:
        cause = self._state.error or Problem("not_yet")
        return AppError(
            502, "run_incomplete", model=self._model.id, reason=cause.code, cause=cause.inputs
        )


class Growth:
    """Judges when a provider has stopped adding files; `pause` is the time until the next look.

    The clock of the machine may be wrong, or be set while a run is fetched. A run that is served
    too early stays without its last hours, so waiting a little longer is the smaller harm.
    """

    def __init__(self, tools: Tools, model: Model, files: RunFiles) -> None:
        self._tools = tools
        self._files = files
        self._span = model.span
        # At this time the next run should be complete as well.
        self._deadline = files.usual_end + model.interval
        self._longest = model.span + model.interval
        self._started = tools.clock() - tools.elapsed()
        self.watch()

    def watch(self) -> None:
        """Begin to watch: the first files of the run are there."""
        self._watched_since = self._tools.elapsed()
        self._answered_at: float | None = self._watched_since
        self._still = 0.0

    def looked(self, *, answered: bool, grown: bool) -> None:
        """Record that the files were checked; a check without an answer proves nothing."""
        if grown:
            self._still = 0.0
        elif answered:
            self._still = self.still
        self._answered_at = self._tools.elapsed() if answered else None

    @property
    def still(self) -> float:
        """For how many seconds the provider has added nothing while it answered."""
        if self._answered_at is None:
            return self._still
        return self._still + self._tools.elapsed() - self._answered_at

    def has_stopped(self, pause: float) -> bool:
        over = self._watched >= self._span or self._now() >= self._files.usual_end
        stalled = self._answered_at is not None and self.still >= STALL_SECONDS
        return (over and stalled) or self.is_past_deadline(pause)

    def is_past_deadline(self, pause: float) -> bool:
        return self._watched >= self._longest or self._now() + pause >= self._deadline

    @property
    def _watched(self) -> float:
        return self._tools.elapsed() - self._watched_since

    def _now(self) -> float:
        """Return the time by the clock, unless the clock is evidently fast.

        The provider's clock shows that or, if it sends no time, how long this has been running.
        """
        now = self._files.provider_time
        if now is None:
            now = self._started + self._tools.elapsed()
        return min(self._tools.clock(), now)
