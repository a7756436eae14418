"""Files of the German weather service (DWD).

There is one GRIB2 file per parameter, run and step, on the triangular grid of the model, with HTML
listings.
"""

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from quartet.wind.models.extras import Read, read_with_extras
from quartet.wind.models.refused import NotYet
from quartet.wind.models.types import Fetched, Listing, Reader, run_text

MAX_BYTES = 32 * 1024 * 1024

STEP = re.compile(r"PT(\d{3})H00M\.grib2")
RUN_FORM = "%Y-%m-%dT%H:00"
_RUN = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:00")
_OF_PERIODS = ("VMAX_10M", "TOT_PREC")


@dataclass(frozen=True)
class IconUpstream:
    """The listing shows which of the extras a model has.

    A model without its own coordinates has the cells of the model in `cells_folder`.
    """

    folder: str
    wind: tuple[str, str] = ("U_10M", "V_10M")
    extras: tuple[str, ...] = ("VMAX_10M", "T_2M", "TOT_PREC", "CLCT", "PMSL")
    cells_folder: str | None = None

    def batches(self, run: int, steps: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [(step,) for step in steps]

    async def listed(self, reader: Reader, run: int, *, with_extras: bool) -> Listing:
        steps = await self._listed(reader, run, self.wind[0])
        steps &= await self._listed(reader, run, self.wind[1])
        found: set[tuple[str, int]] = set()
        for parameter in await self._published(reader):
            try:
                there = await self._listed(reader, run, parameter)
            except NotYet:
                there = set()
            found |= {(parameter, step) for step in there}
            if with_extras:
                steps &= there | ({0} if _begins_later(parameter, there) else set())
        return Listing(tuple(sorted(steps)), frozenset(found))

    async def _published(self, reader: Reader) -> list[str]:
        """Return the extras that the model has at all."""
        try:
            names = await reader.names(f"v1/m/{self.folder}/p")
        except NotYet:
            return list(self.extras)
        return [parameter for parameter in self.extras if parameter in names]

    async def _listed(self, reader: Reader, run: int, parameter: str) -> set[int]:
        names = await reader.names(f"{self._run_folder(run, parameter)}/s")
        return {int(found[1]) for name in names if (found := STEP.fullmatch(name))}

    async def fetch(
        self,
        reader: Reader,
        run: int,
        steps: tuple[int, ...],
        listing: Listing | None,
        *,
        with_extras: bool,
    ) -> Fetched:
        (step,) = steps
        there = listing.extras if listing is not None else ()
        extras = [parameter for parameter in self.extras if (parameter, step) in there]

        def reads(parameters: Sequence[str]) -> list[Read]:
            paths = [self.path(run, step, parameter) for parameter in parameters]
            return [reader.read(path, limit=MAX_BYTES) for path in paths]

        pieces = await read_with_extras(reads(self.wind), reads(extras), required=with_extras)
        return Fetched(pieces, required=len(self.wind))

    async def fetch_cells(self, reader: Reader, run: int) -> Fetched:
        return await self._fetch_constants(reader, run, ("CLAT", "CLON"))

    async def fetch_land(self, reader: Reader, run: int) -> Fetched:
        return await self._fetch_constants(reader, run, ("FR_LAND",))

    async def _fetch_constants(
        self, reader: Reader, run: int, parameters: tuple[str, ...]
    ) -> Fetched:
        def reads(source: int) -> list[Read]:
            paths = [self.path(source, 0, parameter) for parameter in parameters]
            return [reader.read(path, limit=MAX_BYTES) for path in paths]

        try:
            return await fetch_constants(reader, self.runs_folder(parameters[0]), run, reads)
        except NotYet:
            if self.cells_folder is None:
                raise
            lender = replace(self, folder=self.cells_folder, cells_folder=None)
            return await lender._fetch_constants(reader, run, parameters)

    def path(self, run: int, step: int, parameter: str) -> str:
        return f"{self._run_folder(run, parameter)}/s/PT{step:03}H00M.grib2"

    def _run_folder(self, run: int, parameter: str) -> str:
        return f"{self.runs_folder(parameter)}/{run_text(run, RUN_FORM)}"

    def runs_folder(self, parameter: str) -> str:
        return f"v1/m/{self.folder}/p/{parameter}/r"


async def fetch_constants(
    reader: Reader, folder: str, run: int, reads: Callable[[int], list[Read]]
) -> Fetched:
    """Fetch constants of a run, or of the newest other one if it has none.

    They are those of the same cells, or refused: the files say which cells they are of.
    """
    try:
        return Fetched(tuple(await asyncio.gather(*reads(run))))
    except NotYet:
        wanted = run_text(run, RUN_FORM)
        others = [name for name in await reader.names(folder) if _RUN.fullmatch(name)]
        other = max((name for name in others if name != wanted), default=None)
        if other is None:
            raise
        time = datetime.strptime(other, RUN_FORM).replace(tzinfo=UTC)
        return Fetched(tuple(await asyncio.gather(*reads(int(time.timestamp())))))


def _begins_later(parameter: str, steps: set[int]) -> bool:
    """Whether a parameter has no step 0, as far as is known.

    Gusts and precipitation are of the time before a step; AICON derives its pressure from step 3
    on. Steps appear in their order, so that one with later steps will not get the first.
    """
    return parameter in _OF_PERIODS or bool(steps)
