"""Files of the German weather service (DWD).

Its v1 tree has one GRIB2 file per parameter, run and step, on the triangular grid of the model,
with HTML listings. The older tree, with bzip2 and regular grids, is deleted after November 2026.
"""

import asyncio
import re
from dataclasses import dataclass

from quartet.wind.models.refused import NotYet, Refused
from quartet.wind.models.types import Fetched, Reader, run_text

MAX_BYTES = 32 * 1024 * 1024

_STEP = re.compile(r"PT(\d{3})H00M\.grib2")
_RUN_FORM = "%Y-%m-%dT%H:00"


@dataclass(frozen=True)
class IconUpstream:
    """The v1 tree; `gust` is None for a model without gusts."""

    folder: str
    wind: tuple[str, str] = ("U_10M", "V_10M")
    gust: str | None = "VMAX_10M"

    def batches(self, run: int, steps: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [(step,) for step in steps]

    async def listed(self, reader: Reader, run: int, *, with_gust: bool) -> tuple[int, ...]:
        steps = await self._listed(reader, run, self.wind[0])
        steps &= await self._listed(reader, run, self.wind[1])
        if with_gust and self.gust is not None:
            try:
                gusts = await self._listed(reader, run, self.gust)
            except NotYet:
                gusts = set()
            # Gusts are the highest of the previous hour, so step 0 may have none.
            steps &= gusts | {0}
        return tuple(sorted(steps))

    async def _listed(self, reader: Reader, run: int, parameter: str) -> set[int]:
        names = await reader.names(f"{self._run_folder(run, parameter)}/s")
        return {int(found[1]) for name in names if (found := _STEP.fullmatch(name))}

    async def fetch(
        self, reader: Reader, run: int, steps: tuple[int, ...], *, with_gust: bool
    ) -> Fetched:
        (step,) = steps
        paths = [self.path(run, step, parameter) for parameter in self.wind]
        gust = self.path(run, step, self.gust) if self.gust is not None and step > 0 else None
        return Fetched(await _read_step(reader, paths, gust, required=with_gust))

    async def fetch_cells(self, reader: Reader, run: int) -> Fetched:
        paths = [self.path(run, 0, parameter) for parameter in ("CLAT", "CLON")]
        pieces = await asyncio.gather(*(reader.read(path, limit=MAX_BYTES) for path in paths))
        return Fetched(tuple(pieces))

    def path(self, run: int, step: int, parameter: str) -> str:
        return f"{self._run_folder(run, parameter)}/s/PT{step:03}H00M.grib2"

    def _run_folder(self, run: int, parameter: str) -> str:
        return f"{self.runs_folder(parameter)}/{run_text(run, _RUN_FORM)}"

    def runs_folder(self, parameter: str) -> str:
        return f"v1/m/{self.folder}/p/{parameter}/r"


@dataclass(frozen=True)
class OldIconUpstream:
    """The older tree; `form` makes the name of a file, which the models spell differently."""

    folder: str
    prefix: str
    form: str = "{prefix}_single-level_{run}_{step:03}_{upper}"
    variables: tuple[str, ...] = ("u_10m", "v_10m", "vmax_10m")
    # Only ICON of the whole world has unstructured cells here, and no gust at step 0.
    unstructured: bool = False

    def batches(self, run: int, steps: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [(step,) for step in steps]

    async def listed(self, reader: Reader, run: int, *, with_gust: bool) -> None:
        return None

    async def fetch(
        self, reader: Reader, run: int, steps: tuple[int, ...], *, with_gust: bool
    ) -> Fetched:
        (step,) = steps
        *paths, gust = [self.path(run, step, variable) for variable in self.variables]
        pieces = await _read_step(reader, paths, gust if step > 0 else None, required=with_gust)
        return Fetched(pieces, bz2=True)

    async def fetch_cells(self, reader: Reader, run: int) -> Fetched:
        if not self.unstructured:
            raise Refused("wrong_grid")
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


async def _read_step(
    reader: Reader, wind: list[str], gust: str | None, *, required: bool
) -> tuple[bytes, ...]:
    """Read the files of a step; a gust that is not required may be missing."""

    async def read_gust(path: str) -> bytes | None:
        try:
            return await reader.read(path, limit=MAX_BYTES)
        except NotYet:
            if required:
                raise
            return None

    reads = [reader.read(path, limit=MAX_BYTES) for path in wind]
    if gust is None:
        return tuple(await asyncio.gather(*reads))
    found = await asyncio.gather(*reads, read_gust(gust))
    return tuple(piece for piece in found if piece is not None)
