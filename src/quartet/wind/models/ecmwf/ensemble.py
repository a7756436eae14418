"""The ensemble of ECMWF: all members of a step are in one file."""

from dataclasses import dataclass
from functools import partial

from quartet.wind.models.ecmwf.upstream import LAND, MAX_FIELD_BYTES, parse_index, wanted_lines
from quartet.wind.models.members import MemberRead, fetch_members
from quartet.wind.models.refused import Refused
from quartet.wind.models.types import Fetched, Listing, Reader, run_text

# It has a line for each member, parameter and level.
_MAX_INDEX_BYTES = 16 * 1024 * 1024
_WIND = ("10u", "10v")
# The control run has no number.
_CONTROL = "0"


@dataclass(frozen=True)
class EcmwfEnsembleUpstream:
    def batches(self, run: int, steps: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [(step,) for step in steps]

    async def listed(self, reader: Reader, run: int, *, with_extras: bool) -> None:
        return None

    async def fetch(
        self,
        reader: Reader,
        run: int,
        steps: tuple[int, ...],
        _listing: Listing | None,
        *,
        with_extras: bool,
    ) -> Fetched:
        stem = self.stem(run, steps[0])
        index = await reader.read(f"{stem}.index", limit=_MAX_INDEX_BYTES)
        lines = parse_index(index)
        if any((each.date, each.time) != _time_of(run) for each in lines):
            raise Refused("wrong_run")
        reads = [
            MemberRead(
                int(line.number or _CONTROL),
                partial(
                    reader.read_piece,
                    f"{stem}.grib2",
                    line.offset,
                    line.length,
                    limit=MAX_FIELD_BYTES,
                ),
            )
            for line in lines
            if line.levtype == "sfc" and line.param in _WIND
        ]
        return await fetch_members(reads, required=with_extras)

    async def fetch_cells(self, reader: Reader, run: int) -> Fetched:
        raise Refused("wrong_grid")

    async def fetch_land(self, reader: Reader, run: int) -> Fetched:
        """Read the mask of the control run."""
        stem = self.stem(run, 0)
        index = await reader.read(f"{stem}.index", limit=_MAX_INDEX_BYTES)
        (line,) = wanted_lines(index, run, LAND)
        piece = await reader.read_piece(
            f"{stem}.grib2", line.offset, line.length, limit=MAX_FIELD_BYTES
        )
        return Fetched((piece,))

    def stem(self, run: int, step: int) -> str:
        day, hour = run_text(run, "%Y%m%d"), run_text(run, "%H")
        return f"{day}/{hour}z/ifs/0p25/enfo/{day}{hour}0000-{step}h-enfo-ef"


def _time_of(run: int) -> tuple[str, str]:
    return run_text(run, "%Y%m%d"), run_text(run, "%H00")
