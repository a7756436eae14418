"""Files of the German weather service: one for each hour and variable, packed with bzip2."""

import asyncio
from dataclasses import dataclass

from quartet.wind.models.types import Fetched, Reader, run_text

MAX_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True)
class IconUpstream:
    """`form` makes the name of a file of a step, as the three models spell it differently."""

    folder: str
    prefix: str
    form: str = "{prefix}_single-level_{run}_{step:03}_{upper}"
    variables: tuple[str, ...] = ("u_10m", "v_10m", "vmax_10m")
    # Gusts are the highest of the hour before, so some models have no file for the start.
    gust_at_start: bool = True

    def batches(self, run: int, steps: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [(step,) for step in steps]

    async def fetch(self, reader: Reader, run: int, steps: tuple[int, ...]) -> Fetched:
        (step,) = steps
        wanted = self.variables if step or self.gust_at_start else self.variables[:2]
        paths = [self.path(run, step, variable) for variable in wanted]
        pieces = await asyncio.gather(*(reader.read(path, limit=MAX_BYTES) for path in paths))
        return Fetched(tuple(pieces), bz2=True)

    async def fetch_cells(self, reader: Reader, run: int) -> Fetched:
        """Latitude and longitude of every cell."""
        paths = [self.static_path(run, variable) for variable in ("clat", "clon")]
        pieces = await asyncio.gather(*(reader.read(path, limit=MAX_BYTES) for path in paths))
        return Fetched(tuple(pieces), bz2=True)

    def path(self, run: int, step: int, variable: str) -> str:
        stem = self.form.format(
            prefix=self.prefix,
            run=run_text(run, "%Y%m%d%H"),
            step=step,
            lower=variable,
            upper=variable.upper(),
        )
        return self._path(run, variable, stem)

    def static_path(self, run: int, variable: str) -> str:
        stem = f"{self.prefix}_time-invariant_{run_text(run, '%Y%m%d%H')}_{variable.upper()}"
        return self._path(run, variable, stem)

    def _path(self, run: int, variable: str, stem: str) -> str:
        return f"{self.folder}/grib/{run_text(run, '%H')}/{variable}/{stem}.grib2.bz2"
