"""Fetch and store what a provider has of a run, in one round of requests."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.wind.grid import writing
from quartet.wind.grid.layout import Header
from quartet.wind.ingest import jobs
from quartet.wind.ingest.run_files import MOST_ABSENT, Batch, RunFiles
from quartet.wind.ingest.tools import Tools
from quartet.wind.ingest.types import SourceState
from quartet.wind.models.refused import NotYet, Refused
from quartet.wind.models.types import Model

log = logging.getLogger("quartet.wind.ingest")

# A round ends after this number of bad files one after the other: the rest would be bad as well.
_MOST_REFUSED = 16


class Rounds:
    """The rounds of one run; `stored` are its steps that need not be fetched any more."""

    def __init__(
        self, tools: Tools, model: Model, run: int, files: RunFiles, state: SourceState
    ) -> None:
        self._tools = tools
        self._model = model
        self._run = run
        self._files = files
        self._state = state
        self.stored: set[int] = set()
        # Whether the provider has answered in this round; None before the first request.
        self.answered: bool | None = None
        self._refused_in_a_row = 0
        # A server that refuses is logged once per run.
        self._warned = False

    async def fetch(
        self,
        folder: Path,
        header: Header,
        *,
        with_extras: bool,
        last: bool = False,
        is_over: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Fetch what is there, until `is_over`; return whether nothing is missing any more."""
        self.answered = None
        try:
            batches = await self._files.open_batches(with_extras=with_extras)
        except (NotYet, AppError) as error:
            self.note(error)
            return False
        if self._files.most_listed:
            self.answered = True
        if self._state.incoming is not None:
            self._state.incoming.steps = len(self._files.known_steps)
        absent: list[Batch] = []
        self._refused_in_a_row = 0

        def wanted() -> Iterator[Batch]:
            for batch in batches:
                # In the last round every file gets its chance.
                bad = self._refused_in_a_row >= _MOST_REFUSED and not last
                if len(absent) >= MOST_ABSENT or bad or is_over():
                    return
                yield batch

        queue = wanted()
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
        return self._files.are_all_stored(self.stored)

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
            try:
                steps = await self._files.store(batch, folder, header, with_extras=with_extras)
            except NotYet as error:
                absent += [batch] * (not last)
                self.note(error)
            except Refused as error:
                self._refused_in_a_row += 1
                self.note(error)
            except AppError as error:
                # The server is in trouble: asking for more now would not help.
                absent += [batch] * (1 if last else MOST_ABSENT)
                self.note(error)
            else:
                self.answered = True
                self._refused_in_a_row = 0
                self.stored.update(steps)
                if self._state.incoming is not None:
                    self._state.incoming.done = len(self.stored)

    async def assemble(self, folder: Path, header: Header) -> Path:
        """Put what is stored into the file of the run; `header` has the expected steps."""
        # What lacks in packages that are there was never meant to come.
        complete = self._files.are_all_stored(self.stored)
        missing = 0 if complete else len(set(header.steps) - self.stored)
        if missing:
            log.warning(
                "%s: run %d is served without %d of %d steps",
                self._model.id,
                self._run,
                missing,
                len(header.steps),
            )
        header = msgspec.structs.replace(
            header, steps=tuple(sorted(self.stored)), partial=missing > 0
        )
        run = self._tools.workers.run
        await asyncio.gather(
            *(run(jobs.assemble, folder, header, block) for block in range(header.blocks))
        )
        return await asyncio.to_thread(writing.finish, folder, header)

    def note(self, error: Exception) -> None:
        """Keep an error for the admin area, and whether it is an answer of the provider."""
        self.answered = self.answered or not isinstance(error, AppError)
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
