"""One run on its way from a provider into the store."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.wind.grid import writing
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.layout import Header
from quartet.wind.ingest import jobs
from quartet.wind.ingest.types import Incoming, SourceState, StoreJob
from quartet.wind.ingest.workers import Workers
from quartet.wind.models.refused import NotYet, Refused
from quartet.wind.models.types import Model, Provider, Reader

if TYPE_CHECKING:
    from quartet.wind.grid.reading import StoredRun

T = TypeVar("T")


@dataclass(frozen=True)
class Tools:
    """What every arrival needs; `poll` are the seconds until a file is asked for again."""

    catalogue: Catalogue
    readers: Mapping[Provider, Reader]
    workers: Workers
    clock: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]
    poll: float


class Arrival:
    def __init__(self, tools: Tools, model: Model, run: int, state: SourceState) -> None:
        self._tools = tools
        self._model = model
        self._run = run
        self._state = state
        self._steps = model.steps_of(run)
        self._reader = tools.readers[model.provider]
        self._table = tools.catalogue.folder / f"{model.id}-cells.npz" if model.cells else None
        # Given up when the next run should be whole as well.
        self._deadline = run + model.delay + model.span + model.interval

    async def whole(self) -> "StoredRun":
        """Waits for every step; until then nothing of the run is seen."""
        self._state.incoming = incoming = Incoming(self._run, len(self._steps))
        batches = self._model.upstream.batches(self._run, self._steps)
        grid = await self._until_good(partial(self.grid, batches[0]))
        now = int(self._tools.clock())
        header = Header(self._model.id, self._run, self._steps, grid, now)
        folder = await asyncio.to_thread(writing.begin, self._tools.catalogue.folder, header)
        try:
            await self._take_all(batches, folder, header, incoming)
            finished = await asyncio.to_thread(writing.finish, folder, header)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return await asyncio.to_thread(self._tools.catalogue.add, finished)

    async def _take_all(
        self, batches: list[tuple[int, ...]], folder: Path, header: Header, incoming: Incoming
    ) -> None:
        left = iter(batches)
        try:
            async with asyncio.TaskGroup() as group:
                # As many as keep every worker busy while the next files are on their way.
                for _ in range(self._tools.workers.count * 2):
                    group.create_task(self._take(left, folder, header, incoming))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None

    async def _take(
        self, left: Iterator[tuple[int, ...]], folder: Path, header: Header, incoming: Incoming
    ) -> None:
        for steps in left:
            await self._until_good(partial(self.store, steps, folder, header, steps))
            incoming.done += len(steps)

    @property
    def needs_table(self) -> bool:
        """Whether `grid` has to be asked first."""
        return self._table is not None and not self._table.exists()

    async def store(
        self, batch: tuple[int, ...], folder: Path, header: Header, steps: tuple[int, ...]
    ) -> None:
        """Fetches a batch and keeps these steps of it."""
        fetched = await self._model.upstream.fetch(self._reader, self._run, batch)
        job = StoreJob(fetched, folder, header, steps, self._table)
        await self._tools.workers.run(jobs.store, job)

    async def grid(self, steps: tuple[int, ...]) -> Grid:
        fetched = await self._model.upstream.fetch(self._reader, self._run, steps)
        workers = self._tools.workers
        if self._model.cells is None or self._table is None:
            return await workers.run(jobs.find_grid, fetched, self._model.area)
        grid = await workers.run(jobs.grid_of_table, fetched, self._table)
        if grid is not None:
            return grid
        cells = await self._model.cells(self._reader, self._run)
        return await workers.run(jobs.make_table, cells, self._table)

    async def _until_good(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Absent, half, of another day or no weather at all: in a minute it may be right."""
        while True:
            try:
                return await attempt()
            except NotYet:
                error = Problem("not_yet")
            except Refused as refused:
                error = Problem(
                    "weather_refused", {"model": self._model.id, "reason": refused.reason}
                )
            except AppError as failed:
                error = problem_of(failed)
            self._state.error = error
            if self._tools.clock() + self._tools.poll >= self._deadline:
                raise AppError(502, "run_incomplete", model=self._model.id, reason=error.code)
            await self._tools.sleep(self._tools.poll)
