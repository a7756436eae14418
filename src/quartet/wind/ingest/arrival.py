"""Fetch one run from its provider and store it.

Nothing is known for certain in advance: files appear over an hour or two, may be late, truncated
or never come. A run is fetched in rounds until all expected steps have arrived, or until the
provider has stopped adding files; then it is served with the steps it has.
"""

import asyncio
import logging
import shutil
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.wind.grid import writing
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.layout import CellGrid, Header, mesh_path
from quartet.wind.ingest import jobs
from quartet.wind.ingest.batch_reader import BatchReader
from quartet.wind.ingest.types import Incoming, SourceState, StoreJob
from quartet.wind.ingest.workers import Workers
from quartet.wind.models.refused import NotYet, Refused
from quartet.wind.models.types import Fetched, Listing, Model, Provider, Reader, Upstream

if TYPE_CHECKING:
    from quartet.wind.grid.reading import StoredRun

log = logging.getLogger("quartet.wind.ingest")

Batch = tuple[int, ...]

# The pause between rounds grows by this factor while nothing new appears, up to this multiple.
_PAUSE_GROWTH = 1.5
_LONGEST_PAUSE = 10
# Rounds without progress, in seconds, after which a step is stored without gusts and weather.
EXTRAS_SECONDS = 5 * 60
# A provider that has added nothing for so long after its usual end has stopped.
STALL_SECONDS = 20 * 60
# Seconds by which the preferred tree may be later than the fallback before that is used.
_FALLBACK_SECONDS = 30 * 60
# Without a listing, a round ends after this number of missing files: later ones follow.
_MOST_ABSENT = 4
# How often a file that does not decode is transferred again after it has changed.
_MOST_REJECTIONS = 6


@dataclass(frozen=True)
class Tools:
    """What every arrival uses; `poll` is the shortest pause between rounds in seconds."""

    catalogue: Catalogue
    readers: Mapping[Provider, Reader]
    workers: Workers
    clock: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]
    poll: float
    # Two models may need the same mesh at the same time.
    mesh_lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Place(NamedTuple):
    """The grid of a run; `cells` if it is unstructured."""

    grid: Grid
    cells: CellGrid | None = None


class Arrival:
    def __init__(self, tools: Tools, model: Model, run: int, state: SourceState) -> None:
        self._tools = tools
        self._model = model
        self._run = run
        self._state = state
        self._reader = tools.readers[model.provider]
        self._upstream: Upstream = model.upstream
        self._listing: Listing | None = None
        self._expected = model.steps_of(run)
        self._stored: set[int] = set()
        self._finished: set[Batch] = set()
        self._readers: dict[Batch, BatchReader] = {}
        self._rejections: dict[Batch, int] = {}
        self._usual_end = run + model.delay + model.span
        # At this time the next run should be complete as well.
        self._deadline = self._usual_end + model.interval
        self._pause = tools.poll
        self._grown_at = tools.clock()
        # A server that refuses is logged once per run.
        self._warned = False

    async def complete(self) -> "StoredRun":
        """Return the run when it is served; raises `run_incomplete` if it has no step at all."""
        self._state.incoming = Incoming(self._run, len(self._expected))
        place = await self._wait_for_place()
        log.debug("%s: run %d found: %d steps expected", *self._ids, len(self._expected))
        self._grown_at = self._tools.clock()
        now = int(self._grown_at)
        header = Header(
            self._model.id,
            self._run,
            self._expected,
            place.grid,
            now,
            channels=self._model.channels,
            cells=place.cells,
        )
        folder = await asyncio.to_thread(writing.begin, self._tools.catalogue.folder, header)
        try:
            await self._collect(folder, header)
            finished = await self._assemble(folder, header)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise writing.disk_error(error) from None
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        log.debug("%s: run %d stored, is swapped in", *self._ids)
        return await asyncio.to_thread(self._tools.catalogue.add, finished)

    @property
    def _ids(self) -> tuple[str, int]:
        return self._model.id, self._run

    async def _wait_for_place(self) -> Place:
        while True:
            try:
                return await self.find_place()
            except (NotYet, Refused, AppError) as error:
                self._note(error)
            if self._tools.clock() + self._pause >= self._deadline:
                raise self._incomplete()
            await self._rest(progress=False)

    async def find_place(self) -> Place:
        """Choose the upstream that has the run, and read the grid from its first good batch."""
        failure: Exception = NotYet()
        for upstream in self._model.upstreams:
            if upstream is not self._model.upstream and not self._may_fall_back(failure):
                break
            self._upstream = upstream
            try:
                batches = await self._open_batches(with_extras=False)
            except (NotYet, AppError) as error:
                failure = error
                continue
            for batch in batches[:_MOST_ABSENT]:
                try:
                    return await self._place_of(batch)
                except (NotYet, Refused) as error:
                    failure = error
                except AppError as error:
                    failure = error
                    break
        raise failure

    def _may_fall_back(self, failure: Exception) -> bool:
        """A preferred tree that is merely late is waited for; one that does not answer is not."""
        late = self._run + self._model.delay + _FALLBACK_SECONDS
        return not isinstance(failure, NotYet) or self._tools.clock() >= late

    async def _place_of(self, batch: Batch) -> Place:
        fetched = await self._fetch(batch, with_extras=False)
        try:
            place = await self._tools.workers.run(
                jobs.find_place, fetched, self._model.id, self._model.area
            )
        except Refused as error:
            self._reject(batch, fetched, error)
            raise
        if isinstance(place, Grid):
            return Place(place)
        async with self._tools.mesh_lock:
            return Place(await self._mesh_grid(place), place)

    async def _mesh_grid(self, cells: CellGrid) -> Grid:
        path = mesh_path(self._tools.catalogue.folder, cells)
        grid = await self._tools.workers.run(jobs.read_mesh_grid, path)
        if grid is None:
            log.info("%s: building the mesh of grid %s", self._model.id, cells.key)
            files = await self._upstream.fetch_cells(self._reader, self._run)
            grid = await self._tools.workers.run(jobs.build_mesh, files, path)
        return grid

    async def _collect(self, folder: Path, header: Header) -> None:
        while True:
            with_extras = self._tools.clock() - self._grown_at < EXTRAS_SECONDS
            before = len(self._stored)
            complete = await self._round(folder, header, with_extras=with_extras)
            if complete:
                return
            progress = len(self._stored) > before
            if not progress and self._has_stopped():
                await self._round(folder, header, with_extras=False, last=True)
                return
            await self._rest(progress=progress)

    async def _round(
        self, folder: Path, header: Header, *, with_extras: bool, last: bool = False
    ) -> bool:
        """Fetch what is there; return whether nothing is missing any more."""
        try:
            batches = await self._open_batches(with_extras=with_extras)
        except (NotYet, AppError) as error:
            self._note(error)
            return False
        queue = iter(batches)
        absent: list[Batch] = []
        try:
            async with asyncio.TaskGroup() as group:
                # Enough to keep every worker busy while the next files are being transferred.
                for _ in range(self._tools.workers.count * 2):
                    group.create_task(
                        self._take(
                            queue, absent, folder, header, with_extras=with_extras, last=last
                        )
                    )
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return self._is_complete()

    async def _take(
        self,
        queue: Iterator[Batch],
        absent: list[Batch],
        folder: Path,
        header: Header,
        *,
        with_extras: bool,
        last: bool,
    ) -> None:
        for batch in queue:
            if len(absent) >= _MOST_ABSENT and not last:
                return
            try:
                steps = await self.store(batch, folder, header, with_extras=with_extras)
            except NotYet as error:
                absent.append(batch)
                self._note(error)
            except Refused as error:
                self._note(error)
            except AppError as error:
                # The server is in trouble: asking for more now would not help.
                absent += [batch] * _MOST_ABSENT
                self._note(error)
            else:
                self._stored.update(steps)
                self._finished.add(batch)
                self._grown_at = self._tools.clock()
                if self._state.incoming is not None:
                    self._state.incoming.done = len(self._stored)

    async def store(
        self, batch: Batch, folder: Path, header: Header, *, with_extras: bool = True
    ) -> tuple[int, ...]:
        """Fetch a batch and store its steps; return those it had."""
        fetched = await self._fetch(batch, with_extras=with_extras)
        log.debug(
            "%s: run %d steps %s fetched: %d pieces",
            *self._ids,
            _range(batch),
            len(fetched.pieces),
        )
        lenient = not with_extras or self._rejections.get(batch, 0) >= _MOST_REJECTIONS // 2
        job = StoreJob(fetched, folder, header, batch, lenient)
        try:
            steps = await self._tools.workers.run(jobs.store, job)
        except Refused as error:
            self._reject(batch, fetched, error)
            raise
        self._readers.pop(batch, None)
        log.debug("%s: run %d steps %s stored", *self._ids, _range(steps))
        return steps

    async def store_steps(self, folder: Path, header: Header) -> bool:
        """Store the steps of `header`, for a process that works on a part of a run.

        Returns whether it has all of them. Raises `NotYet` while one is missing that may come.
        """
        if header.cells is None and self._model.fallback is not None:
            self._upstream = self._model.fallback
        stopped = self._tools.clock() >= self._usual_end + STALL_SECONDS
        self._listing = await self._upstream.listed(
            self._reader, self._run, with_extras=not stopped
        )
        stored: set[int] = set()
        for batch in self._upstream.batches(self._run, self._expected):
            wanted = tuple(step for step in batch if step in header.steps)
            if not wanted:
                continue
            if self._listing is not None and not {*self._listing.steps}.issuperset(wanted):
                if not stopped:
                    raise NotYet
                continue
            try:
                stored.update(await self.store(batch, folder, header, with_extras=not stopped))
            except (NotYet, Refused):
                if not stopped:
                    raise
        return stored.issuperset(header.steps)

    async def _fetch(self, batch: Batch, *, with_extras: bool) -> Fetched:
        """Fetch a batch; files that arrived before another one was missing are kept."""
        reader = self._readers.setdefault(batch, BatchReader(self._reader))
        try:
            return await self._upstream.fetch(
                reader, self._run, batch, self._listing, with_extras=with_extras
            )
        except Refused:
            # An index that does not fit its file: both are read again.
            self._readers.pop(batch)
            raise

    def _reject(self, batch: Batch, fetched: Fetched, error: Refused) -> None:
        if error.piece is None:
            self._readers.pop(batch)
        else:
            self._readers[batch].reject_piece(fetched.pieces[error.piece])
        self._rejections[batch] = self._rejections.get(batch, 0) + 1

    async def _open_batches(self, *, with_extras: bool) -> list[Batch]:
        """Return the batches that are there, or may be, and have not been stored."""
        listed = await self._upstream.listed(self._reader, self._run, with_extras=with_extras)
        self._listing = listed
        if listed is not None:
            known = {*self._expected, *listed.steps}
            if self._state.incoming is not None:
                self._state.incoming.steps = len(known)
        steps = self._expected if listed is None else listed.steps
        return [
            batch
            for batch in self._upstream.batches(self._run, steps)
            if batch not in self._finished and self._rejections.get(batch, 0) < _MOST_REJECTIONS
        ]

    def _is_complete(self) -> bool:
        if self._stored.issuperset(self._expected):
            return True
        # A package that is there but lacks a step will not get it later.
        batches = self._upstream.batches(self._run, self._expected)
        return all(batch in self._finished for batch in batches)

    def _has_stopped(self) -> bool:
        now = self._tools.clock()
        stalled = now >= self._usual_end and now - self._grown_at >= STALL_SECONDS
        return stalled or now + self._pause >= self._deadline

    async def _rest(self, *, progress: bool) -> None:
        poll = self._tools.poll
        longest = _LONGEST_PAUSE * poll
        self._pause = poll if progress else min(self._pause, longest)
        await self._tools.sleep(self._pause)
        if not progress:
            self._pause = min(self._pause * _PAUSE_GROWTH, longest)

    async def _assemble(self, folder: Path, header: Header) -> Path:
        """Put the steps that arrived into the file of the run."""
        if not self._stored:
            raise self._incomplete()
        missing = len(set(self._expected) - self._stored)
        if missing:
            log.warning(
                "%s: run %d is served without %d of %d steps",
                self._model.id,
                self._run,
                missing,
                len(self._expected),
            )
        header = msgspec.structs.replace(
            header, steps=tuple(sorted(self._stored)), partial=missing > 0
        )
        run = self._tools.workers.run
        await asyncio.gather(
            *(run(jobs.assemble, folder, header, block) for block in range(header.blocks))
        )
        return await asyncio.to_thread(writing.finish, folder, header)

    def _note(self, error: Exception) -> None:
        """Keep an error for the admin area."""
        match error:
            case Refused():
                self._state.error = Problem(
                    "weather_refused", {"model": self._model.id, "reason": error.reason}
                )
            case AppError():
                self._state.error = problem_of(error)
                if not self._warned:
                    self._warned = True
                    log.warning("%s: run %d: %s", self._model.id, self._run, error)
            case _:
                self._state.error = Problem("not_yet")

    def _incomplete(self) -> AppError:
        reason = self._state.error.code if self._state.error else "not_yet"
        return AppError(502, "run_incomplete", model=self._model.id, reason=reason)


def _range(steps: Sequence[int]) -> str:
    return f"{steps[0]}-{steps[-1]}" if len(steps) > 1 else str(*steps)
