"""Which run is fetched next, and how fetching goes."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from quartet.kernel.errors import AppError, problem_of
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.ingest.arrival import Arrival, Tools
from quartet.wind.ingest.types import SourceState
from quartet.wind.ingest.workers import Workers
from quartet.wind.models.types import Model, Provider, Reader

if TYPE_CHECKING:
    from quartet.wind.grid.reading import StoredRun

log = logging.getLogger("quartet.wind.ingest")

# Seconds until a file that was not there, or not good, is asked for again.
POLL_SECONDS = 60.0


async def _never() -> bool:
    return False


class Ingest:
    def __init__(
        self,
        catalogue: Catalogue,
        readers: Mapping[Provider, Reader],
        models: Iterable[Model],
        workers: Workers,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        poll: float = POLL_SECONDS,
        postponed: Callable[[], Awaitable[bool]] = _never,
    ) -> None:
        self.tools = Tools(catalogue, readers, workers, clock, sleep, poll)
        self._catalogue = catalogue
        self._clock = clock
        self.models = tuple(models)
        self.postponed = postponed
        self._fetching: dict[str, asyncio.Task[StoredRun]] = {}
        # The run of each model that somebody does not want.
        self._given_up: dict[str, int] = {}
        self._states = {model.id: self._first_state(model) for model in self.models}

    def state(self, model: str) -> SourceState:
        return self._states[model]

    async def look(self, model: Model) -> None:
        """Fetches the newest run there can be, unless it is served already."""
        run = self.due(model)
        newest = self._catalogue.newest(model.id)
        there = newest is not None and newest.run >= run
        if there or self._given_up.get(model.id) == run or await self.postponed():
            return
        fetching = self._fetching[model.id] = asyncio.create_task(self.ingest_run(model, run))
        try:
            await fetching
        except AppError as error:
            # What is served stays, and the next run gets its chance.
            log.warning("%s: %s", model.id, error)
        except asyncio.CancelledError:
            if self._given_up.get(model.id) != run:
                raise
            log.info("%s: the run on its way is not wanted", model.id)
        finally:
            del self._fetching[model.id]

    def give_up(self, model: str) -> bool:
        """Whether a run was on its way; it is not fetched again unless somebody asks for it."""
        fetching, incoming = self._fetching.get(model), self.state(model).incoming
        if fetching is None or incoming is None:
            return False
        self._given_up[model] = incoming.run
        fetching.cancel()
        return True

    def want(self, model: str) -> None:
        """Also the run that was given up."""
        self._given_up.pop(model, None)

    def due(self, model: Model) -> int:
        newest = self._catalogue.newest(model.id)
        return self.due_after(model, newest.run if newest else None)

    def due_after(self, model: Model, newest: int | None) -> int:
        """The newest run that has begun to appear; whoever has none yet gets a whole one."""
        wait = model.delay
        if newest is None:
            wait += model.span
        return model.run_at_or_before(self._clock() - wait)

    async def ingest_run(self, model: Model, run: int) -> "StoredRun":
        """Serves a run once it is whole; raises `run_incomplete` when it takes too long."""
        state = self.state(model.id)
        state.last_try = self._clock()
        try:
            stored = await Arrival(self.tools, model, run, state).whole()
        except AppError as error:
            state.error = problem_of(error)
            raise
        finally:
            state.incoming = None
        self.succeeded(model.id)
        return stored

    def succeeded(self, model: str) -> None:
        """A new run is served, whoever has fetched it."""
        state = self.state(model)
        state.last_success, state.error = self._clock(), None

    def _first_state(self, model: Model) -> SourceState:
        newest = self._catalogue.newest(model.id)
        return SourceState(model.id, last_success=newest.header.written if newest else None)
