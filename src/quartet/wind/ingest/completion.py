"""Complete a run that is served without some steps, if its provider adds them after all.

The provider is asked with growing pauses, and only until a newer run is served.
"""

import asyncio
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from quartet.wind.grid import writing
from quartet.wind.grid.layout import Header
from quartet.wind.ingest import jobs
from quartet.wind.ingest.rounds import Rounds
from quartet.wind.ingest.run_files import RunFiles
from quartet.wind.ingest.tools import Tools
from quartet.wind.ingest.types import SourceState
from quartet.wind.models.refused import Refused
from quartet.wind.models.types import Model

if TYPE_CHECKING:
    from quartet.wind.grid.reading import StoredRun

# Pauses between looks, as multiples of the shortest pause between rounds.
_FIRST_PAUSE, _LONGEST_PAUSE = 10, 60
_PAUSE_GROWTH = 1.5
# A newer run waits at most this multiple; the rest is fetched with the next look.
_LONGEST_LOOK = 2


class Looks:
    """When the provider of a partial run is asked again: ever more rarely."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._pause = _FIRST_PAUSE * tools.poll
        self._next = tools.elapsed() + self._pause

    @property
    def is_due(self) -> bool:
        return self._tools.elapsed() >= self._next

    def rest(self) -> None:
        self._next = self._tools.elapsed() + self._pause
        self._pause = min(self._pause * _PAUSE_GROWTH, _LONGEST_PAUSE * self._tools.poll)


class Completion:
    def __init__(self, tools: Tools, model: Model, served: "StoredRun") -> None:
        self._tools = tools
        self._model = model
        self.served = served
        self._files = RunFiles(tools, model, served.run)
        # The model has no error and no run that is being fetched: this one is served.
        self._rounds = Rounds(tools, model, served.run, self._files, SourceState(model.id))
        self._looks = Looks(tools)
        self._looked = False

    async def look(self) -> "StoredRun | None":
        """Fetch what has been added, unless it is too early; return the run if it has grown.

        Raises AppError if the disk fails and Refused if a worker crashes; what was fetched is lost.
        """
        if not self._looks.is_due:
            return None
        header = await self._expected_header()
        if self._files.are_all_stored({*self.served.header.steps}):
            # Its packages have fewer steps than expected: there is nothing to wait for.
            self._looks.rest()
            return None
        try:
            folder = await asyncio.to_thread(writing.resume, self._tools.catalogue.folder, header)
            try:
                return await self._fetch(folder, header)
            except (OSError, Refused):
                shutil.rmtree(folder, ignore_errors=True)
                raise
        except OSError as error:
            raise writing.disk_error(error) from None

    async def _expected_header(self) -> Header:
        served, files = self.served.header, self._files
        files.expected = tuple(sorted({*await files.learn_steps(), *served.steps}))
        files.skip(set(), served.steps)
        return Header(
            served.model,
            served.run,
            files.expected,
            served.grid,
            int(self._tools.clock()),
            channels=served.channels,
            cells=served.cells,
        )

    async def _fetch(self, folder: Path, header: Header) -> "StoredRun | None":
        # Imported here: a service without any run need not load numpy.
        from quartet.wind.grid.steps import stored_steps

        rounds, served = self._rounds, {*self.served.header.steps}
        # The last look may have been too short for all that is there.
        rounds.stored = served | await asyncio.to_thread(stored_steps, folder, header)
        self._files.skip(rounds.stored)
        if not await self._round(folder, header):
            return None
        self._looks.rest()
        if rounds.stored == served or self._tools.catalogue.newest(header.model) != self.served:
            shutil.rmtree(folder, ignore_errors=True)
            return None
        return await self._serve(folder, header)

    async def _round(self, folder: Path, header: Header) -> bool:
        """Fetch what is there; return False if that took too long for all of it."""
        end = self._tools.elapsed() + _LONGEST_LOOK * self._tools.poll
        over = False

        def is_over() -> bool:
            nonlocal over
            over = self._tools.elapsed() >= end
            return over

        stored, listed = len(self._rounds.stored), self._files.most_listed
        await self._rounds.fetch(folder, header, with_extras=True, is_over=is_over)
        grown = len(self._rounds.stored) > stored or self._files.most_listed > listed
        # Gusts and weather may come some minutes after the wind.
        if self._looked and not grown:
            await self._rounds.fetch(folder, header, with_extras=False, is_over=is_over)
        self._looked = True
        return not over

    async def _serve(self, folder: Path, header: Header) -> "StoredRun":
        """Replace the served run by one with its steps and those that were added."""
        served, run = self.served, self._tools.workers.run
        await asyncio.gather(
            *(
                run(jobs.split, served.folder, served.header, block, folder)
                for block in range(served.header.blocks)
            )
        )
        finished = await self._rounds.assemble(folder, header)
        return await asyncio.to_thread(self._tools.catalogue.add, finished)
