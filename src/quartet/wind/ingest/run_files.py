"""The files of one run at its provider: which are there, and fetching and storing them."""

import logging
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path

from quartet.kernel.errors import AppError
from quartet.wind.grid.layout import Header
from quartet.wind.ingest import jobs
from quartet.wind.ingest.batch_reader import BatchReader
from quartet.wind.ingest.run_grids import RunGrid, RunGrids
from quartet.wind.ingest.tools import Tools
from quartet.wind.ingest.types import StoreJob
from quartet.wind.models.refused import NotYet, Refused
from quartet.wind.models.types import Fetched, Listing, Model

log = logging.getLogger("quartet.wind.ingest")

Batch = tuple[int, ...]

# A provider that has added nothing for so long after its usual end has stopped.
STALL_SECONDS = 20 * 60
# Without a listing, a round ends after this number of missing files: later ones follow.
MOST_ABSENT = 4
# How many times a file that does not decode is transferred again after it has changed.
_MOST_REJECTIONS = 6


class RunFiles:
    """Steps come in batches: one file each, or packages with several steps."""

    def __init__(self, tools: Tools, model: Model, run: int) -> None:
        self._tools = tools
        self._model = model
        self._run = run
        self.expected = model.steps_of(run)
        # When the last file usually appears.
        self.usual_end = run + model.delay + model.span
        self._reader = tools.readers[model.provider]
        self._upstream = model.upstream
        self._grids = RunGrids(tools, model, run)
        self._listing: Listing | None = None
        # How many steps and how many extras the provider has listed at most.
        self._most_steps = self._most_extras = 0
        self._finished: set[Batch] = set()
        self._readers: dict[Batch, BatchReader] = {}
        self._rejections: dict[Batch, int] = {}
        # Why a batch was rejected last.
        self._refused: Refused | None = None

    @property
    def known_steps(self) -> set[int]:
        """The expected steps, and others that the provider lists."""
        return {*self.expected, *(self._listing.steps if self._listing else ())}

    @property
    def most_listed(self) -> int:
        """A number that rises when the provider lists more, and is 0 if it has no listings."""
        return self._most_steps + self._most_extras

    @property
    def provider_time(self) -> float | None:
        return self._reader.time()

    async def find_place(self) -> RunGrid:
        """Read the grid of the run from its first good batch."""
        batches = await self.open_batches(with_extras=False)
        failure: Exception | None = None
        for batch in batches[:MOST_ABSENT]:
            try:
                return await self._place_of(batch)
            except NotYet:
                continue
            except Refused as error:
                failure = failure or error
            except AppError as error:
                failure = failure or error
                break
        # If nothing else is there than what was refused before, that is the reason.
        raise failure or self._refused or NotYet

    async def learn_steps(self) -> tuple[int, ...]:
        """Correct the expected steps by what earlier runs have; call it after `find_place`."""
        self.expected = await self._tools.step_learning.expected(
            self._model, self._upstream, self._reader, self._run
        )
        return self.expected

    def skip(self, stored: set[int], served: Collection[int] = ()) -> None:
        """Do not fetch batches whose steps an earlier process has stored.

        A package of which some steps are served was there: it will not get others later.
        """
        known = tuple(sorted(self.known_steps | stored))
        for batch in self._upstream.batches(self._run, known):
            if stored.issuperset(batch) or not {*served}.isdisjoint(batch):
                self._finished.add(batch)

    def _now(self) -> float:
        """Return the time by the clock, or by the provider's clock if that is earlier."""
        now = self._tools.clock()
        return min(now, self.provider_time or now)

    async def _place_of(self, batch: Batch) -> RunGrid:
        fetched = await self._fetch(batch, with_extras=False)
        try:
            place = await self._tools.workers.run(
                jobs.find_place, fetched, self._model.id, self._model.area
            )
        except Refused as error:
            self._reject(batch, fetched, error)
            raise
        return await self._grids.complete(place, self._readers.get(batch, self._reader))

    async def store(
        self, batch: Batch, folder: Path, header: Header, *, with_extras: bool = True
    ) -> tuple[int, ...]:
        """Fetch a batch and store its steps; return those it had."""
        fetched = await self._fetch(batch, with_extras=with_extras)
        log.debug(
            "%s: run %d steps %s fetched: %d pieces",
            self._model.id,
            self._run,
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
        self._finished.add(batch)
        log.debug("%s: run %d steps %s stored", self._model.id, self._run, _range(steps))
        return steps

    async def store_steps(self, folder: Path, header: Header) -> set[int]:
        """Store the steps of `header`, for a process that works on a part of a run.

        Returns those that were stored. Raises `NotYet` while one is missing that may come.
        """
        # The response contains the provider's time, which shows whether the clock is wrong.
        listing = await self._upstream.listed(self._reader, self._run, with_extras=True)
        stopped = self._now() >= self.usual_end + STALL_SECONDS
        if stopped:
            listing = await self._upstream.listed(self._reader, self._run, with_extras=False)
        self._listing = listing
        stored: set[int] = set()
        # The run may have steps that earlier runs have taught.
        known = tuple(sorted({*self.expected, *header.steps}))
        for batch in self._upstream.batches(self._run, known):
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
        return stored

    async def store_added(
        self, folder: Path, header: Header, missing: Collection[int], *, with_extras: bool
    ) -> tuple[set[int], set[int]]:
        """Store the missing steps of a part of a served run that are there by now.

        Returns the steps that were stored, and those that will not come.
        """
        self._listing = await self._upstream.listed(
            self._reader, self._run, with_extras=with_extras
        )
        stored: set[int] = set()
        hopeless: set[int] = set()
        listed = None if self._listing is None else {*self._listing.steps}
        known = tuple(sorted({*self.expected, *header.steps}))
        for batch in self._upstream.batches(self._run, known):
            wanted = {*batch} & {*missing}
            if not wanted or (listed is not None and not listed >= wanted):
                continue
            # A package that is there but lacks a step will not get it later.
            if not {*batch} & {*header.steps} <= {*missing}:
                hopeless |= wanted
                continue
            with suppress(NotYet, Refused):
                found = await self.store(batch, folder, header, with_extras=with_extras)
                stored |= wanted & {*found}
                hopeless |= wanted - {*found}
        return stored, hopeless

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
        self._refused = error

    async def open_batches(self, *, with_extras: bool) -> list[Batch]:
        """Return the batches that are there, or may be, and have not been stored."""
        listed = await self._upstream.listed(self._reader, self._run, with_extras=with_extras)
        self._listing = listed
        steps = self.expected
        if listed is not None:
            steps = listed.steps
            self._most_steps = max(self._most_steps, len(steps))
            self._most_extras = max(self._most_extras, len(listed.extras))
        return [
            batch
            for batch in self._upstream.batches(self._run, steps)
            if batch not in self._finished and self._rejections.get(batch, 0) < _MOST_REJECTIONS
        ]

    def are_all_stored(self, stored: set[int]) -> bool:
        """Return whether nothing is missing any more, given the stored steps."""
        if stored.issuperset(self.expected):
            return True
        # A package that is there but lacks a step will not get it later.
        batches = self._upstream.batches(self._run, self.expected)
        return all(batch in self._finished for batch in batches)


def _range(steps: Sequence[int]) -> str:
    return f"{steps[0]}-{steps[-1]}" if len(steps) > 1 else str(*steps)
