"""Decide which run is fetched next, and keep track of how fetching goes."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from quartet.kernel.errors import AppError, problem_of
from quartet.wind.grid import writing
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.ingest.run_files import RunFiles
from quartet.wind.ingest.source_warnings import is_late, note_lateness, run_warnings
from quartet.wind.ingest.tools import Tools
from quartet.wind.ingest.types import SourceState
from quartet.wind.ingest.workers import Workers
from quartet.wind.models.refused import NotYet, Refused
from quartet.wind.models.types import Model, Provider, Reader

if TYPE_CHECKING:
    from quartet.wind.grid.reading import StoredRun
    from quartet.wind.ingest.completion import Completion

log = logging.getLogger("quartet.wind.ingest")

# Seconds until a provider is asked again, at least.
POLL_SECONDS = 60.0
# Seconds until files are fetched again that could not be written.
DISK_PAUSE_SECONDS = 1800.0
_DISK_ERRORS = ("disk_full", "disk_failed")


def loop_name(model: Model) -> str:
    """Return the name of the background task that fetches a model."""
    return f"ingest {model.id}"


async def _never() -> bool:
    return False


class Ingest:
    """`selection` returns the ids of the ensembles to fetch; without it, all of `models` are.

    `selected` are the ensembles until its first call. `elapsed` measures time and cannot be set;
    without it, `clock` must be such a clock.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        readers: Mapping[Provider, Reader],
        models: Iterable[Model],
        workers: Workers,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        elapsed: Callable[[], float] | None = None,
        poll: float = POLL_SECONDS,
        postponed: Callable[[], Awaitable[bool]] = _never,
        selection: Callable[[], Awaitable[Collection[str]]] | None = None,
        selected: Collection[str] = (),
    ) -> None:
        self.tools = Tools(catalogue, readers, workers, clock, sleep, poll, elapsed or clock)
        self._catalogue = catalogue
        self._clock = clock
        self.known = tuple(models)
        self.wind_models = tuple(model for model in self.known if model.has_wind)
        self.wave_models = tuple(model for model in self.known if model.has_waves)
        self.known_ensembles = tuple(model for model in self.known if model.is_ensemble)
        self.postponed = postponed
        self._selection = selection
        everything = {each.id for each in self.known}
        self._selected: Collection[str] = selected if selection else everything
        self._fetching: dict[str, asyncio.Task[StoredRun]] = {}
        # Runs that an admin has cancelled, or that failed for good; they are not tried again.
        self._skipped: dict[str, set[int]] = {model.id: set() for model in self.known}
        # The last run of each model that did not appear in time.
        self._given_up: dict[str, int] = {}
        # Runs that are served without some steps.
        self._completions: dict[str, Completion] = {}
        # When the files of a model could not be written.
        self._unwritable_at: dict[str, float] = {}
        self._states = {model.id: self._first_state(model) for model in self.known}

    @property
    def models(self) -> tuple[Model, ...]:
        """The models that are fetched."""
        return tuple(model for model in self.known if self._is_selected(model))

    @property
    def ensembles(self) -> tuple[Model, ...]:
        return tuple(model for model in self.known_ensembles if self._is_selected(model))

    def unused_loops(self) -> list[str]:
        """Return the names of the tasks whose ensemble is not selected."""
        return [loop_name(model) for model in self.known if not self._is_selected(model)]

    def _is_selected(self, model: Model) -> bool:
        return not model.is_ensemble or model.id in self._selected

    async def select(self) -> None:
        """Read which ensembles are selected; the runs of the others are deleted."""
        before = self._selected
        if self._selection is not None:
            self._selected = await self._selection()
        for model in self.known_ensembles:
            if self._is_selected(model):
                # A run that was cancelled by switching it off may be fetched again.
                if model.id not in before:
                    self.want(model.id)
            else:
                self.give_up(model.id)
                for run in self._catalogue.runs(model.id):
                    await asyncio.to_thread(self._catalogue.remove, model.id, run.run)

    async def is_fetched(self, model: Model) -> bool:
        if model.is_ensemble:
            await self.select()
        return self._is_selected(model)

    def state(self, model: str) -> SourceState:
        return self._states[model]

    async def look(self, model: Model) -> None:
        """Fetch the newest run there can be, or an older one that reaches further."""
        if not await self.is_fetched(model):
            return
        self.note_lateness(model)
        run = self._next_run(model)
        if run is None:
            await self._complete_served(model)
            return
        if await self.postponed():
            return
        fetching = self._fetching[model.id] = asyncio.create_task(self.ingest_run(model, run))
        try:
            await fetching
        except AppError as error:
            # What is served stays, and the next run gets its chance.
            if error.code in _DISK_ERRORS:
                self._unwritable_at[model.id] = self._clock()
            else:
                self._skip(model.id, run)
                self._given_up[model.id] = run
            log.warning("%s: run %d: %s", model.id, run, error)
            newest = self._catalogue.newest(model.id)
            if error.code == "run_incomplete" and newest is not None and run < newest.run:
                # An older run that would reach further is deleted already: nothing is wrong.
                self.state(model.id).error = None
        except asyncio.CancelledError:
            if run not in self._skipped[model.id]:
                raise
            log.info("%s: run %d was cancelled", model.id, run)
            await asyncio.to_thread(writing.discard, self._catalogue.folder, model.id, run)
        finally:
            del self._fetching[model.id]

    async def _while_awaiting(self, model: Model, awaited: int) -> None:
        """Complete the run that is served, or fetch the last one if it was given up too early.

        A provider that is slower than one interval would never be waited for otherwise.
        """
        await self._complete_served(model)
        run = self._given_up.get(model.id, awaited)
        newest = self._catalogue.newest(model.id)
        if run >= awaited or (newest is not None and newest.run >= run):
            return
        state, incoming = self.state(model.id), self.state(model.id).incoming
        files = RunFiles(self.tools, model, run)
        with suppress(NotYet, AppError):
            await files.open_batches(with_extras=False)
            # Without listings only a transfer could tell.
            if files.most_listed:
                await self.ingest_run(model, run)
        state.incoming = incoming

    async def _complete_served(self, model: Model) -> None:
        """Add what the provider has added to a run that is served without some steps."""
        newest = self._catalogue.newest(model.id)
        if newest is None or not newest.header.partial or self._is_unwritable(model):
            return
        if await self.postponed():
            return
        # Imported here because partial runs are rare.
        from quartet.wind.ingest.completion import Completion

        completion = self._completions.get(model.id)
        if completion is None or completion.served is not newest:
            completion = self._completions[model.id] = Completion(self.tools, model, newest)
        try:
            stored = await completion.look()
        except (AppError, Refused) as error:
            del self._completions[model.id]
            if isinstance(error, AppError):
                self._unwritable_at[model.id] = self._clock()
            log.warning("%s: run %d: %s", model.id, newest.run, error)
            return
        if stored is not None:
            self._published(model, stored, newest)

    def _is_unwritable(self, model: Model) -> bool:
        """Whether files of the model could not be written a short time ago."""
        since = self._clock() - self._unwritable_at.get(model.id, -DISK_PAUSE_SECONDS)
        # A clock that has been set back ends the pause.
        return 0 <= since < DISK_PAUSE_SECONDS

    def _next_run(self, model: Model) -> int | None:
        now = self._clock()
        if self._is_unwritable(model):
            return None
        run = self.due(model)
        newest = self._catalogue.newest(model.id)
        skipped = self._skipped[model.id]
        # While the clock was ahead, these runs were looked for before they existed.
        skipped -= {each for each in skipped if each + model.delay > now}
        if newest is None or newest.run < run:
            return None if run in skipped else run
        longer = model.longer_run(newest.run)
        if longer is None or longer in skipped or self._catalogue.run(model.id, longer):
            return None
        forecast = self._catalogue.forecast(model.id)
        end = longer + model.steps_of(longer)[-1] * 3600
        return longer if forecast is not None and forecast.times[-1] < end else None

    def _skip(self, model: str, run: int) -> None:
        skipped = self._skipped[model]
        skipped -= {each for each in skipped if run - each > 86400}
        skipped.add(run)

    def give_up(self, model: str) -> bool:
        """Cancel the run that is being fetched, if there is one; it is not fetched again."""
        fetching, incoming = self._fetching.get(model), self.state(model).incoming
        if fetching is None or incoming is None:
            return False
        self._skip(model, incoming.run)
        fetching.cancel()
        return True

    def want(self, model: str) -> None:
        """Allow all runs again, also those that were cancelled or failed."""
        self._skipped[model].clear()
        self._unwritable_at.pop(model, None)

    def due(self, model: Model) -> int:
        newest = self._catalogue.newest(model.id)
        return self.due_after(model, newest.run if newest else None)

    def due_after(self, model: Model, newest: int | None) -> int:
        """Return the newest run that has begun to appear; without any run, a complete one."""
        wait = model.delay
        if newest is None:
            wait += model.span
        return model.run_at_or_before(self._clock() - wait)

    async def ingest_run(self, model: Model, run: int) -> "StoredRun":
        """Fetch and serve a run; raises `run_incomplete` if nothing of it can be had."""
        # Imported here because the first run is fetched some time after the start.
        from quartet.wind.ingest.arrival import Arrival

        state = self.state(model.id)
        state.last_try = self._clock()
        log.debug("%s: run %d is being fetched", model.id, run)
        before = self._catalogue.newest(model.id)
        try:
            meanwhile = partial(self._while_awaiting, model, run)
            stored = await Arrival(self.tools, model, run, state, meanwhile).complete()
        except AppError as error:
            state.error = problem_of(error)
            raise
        finally:
            state.incoming = None
        self._published(model, stored, before)
        return stored

    def _published(self, model: Model, stored: "StoredRun", before: "StoredRun | None") -> None:
        self.succeeded(model.id)
        log.info(
            "%s: run %d published: %d of %d steps",
            model.id,
            stored.run,
            len(stored.header.steps),
            len(model.steps_of(stored.run)),
        )
        state = self.state(model.id)
        state.warnings = run_warnings(model, before, stored)
        for warning in state.warnings:
            log.warning("%s: %s %s", model.id, warning.code, warning.inputs)

    def succeeded(self, model: str) -> None:
        """Record that a new run is served, also one that another process has fetched."""
        state = self.state(model)
        state.last_success, state.error = self._clock(), None

    def note_lateness(self, model: Model) -> None:
        """Log and show once that a model has become late."""
        newest = self._catalogue.newest(model.id)
        note_lateness(self.state(model.id), model, newest, self._clock())

    def is_late(self, model: Model) -> bool:
        """Whether a newer run should have been served more than one interval ago."""
        return is_late(model, self._catalogue.newest(model.id), self._clock())

    def _first_state(self, model: Model) -> SourceState:
        newest = self._catalogue.newest(model.id)
        return SourceState(model.id, last_success=newest.header.written if newest else None)
