"""The ensemble of ECMWF: all members of a step are in one file, but for the control run."""

from dataclasses import dataclass
from functools import partial

from quartet.wind.models.ecmwf.upstream import (
    MAX_FIELD_BYTES,
    MAX_INDEX_BYTES,
    EcmwfUpstream,
    IndexEntry,
    WantedParameters,
    parse_index,
    wanted_lines,
)
from quartet.wind.models.members import MemberRead, fetch_members
from quartet.wind.models.refused import NotYet, Refused
from quartet.wind.models.types import Fetched, Listing, Reader, run_text

# It has a line for each member, parameter and level.
_MAX_MEMBER_INDEX_BYTES = 16 * 1024 * 1024
_WIND = ("10u", "10v")
# Since cycle 50r1 it is the forecast of the model itself.
_CONTROL = EcmwfUpstream("ifs")
_CONTROL_NUMBER = 0


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
        index = await reader.read(f"{stem}.index", limit=_MAX_MEMBER_INDEX_BYTES)
        lines = parse_index(index)
        if any((each.date, each.time) != _time_of(run) for each in lines):
            raise Refused("wrong_run")
        reads = [
            _read_of(reader, stem, line, int(line.number))
            for line in lines
            if line.levtype == "sfc" and line.param in _WIND and line.number is not None
        ]
        try:
            reads += await self._control(reader, run, steps[0])
        except (NotYet, Refused):
            if with_extras:
                raise
        return await fetch_members(reads, required=with_extras)

    async def _control(self, reader: Reader, run: int, step: int) -> list[MemberRead]:
        stem = _CONTROL.stem(run, step)
        index = await reader.read(f"{stem}.index", limit=MAX_INDEX_BYTES)
        lines = wanted_lines(index, run, WantedParameters(_WIND, ()))
        return [_read_of(reader, stem, line, _CONTROL_NUMBER) for line in lines]

    async def fetch_cells(self, reader: Reader, run: int) -> Fetched:
        raise Refused("wrong_grid")

    async def fetch_land(self, reader: Reader, run: int) -> Fetched | None:
        return await _CONTROL.fetch_land(reader, run)

    def stem(self, run: int, step: int) -> str:
        day, hour = run_text(run, "%Y%m%d"), run_text(run, "%H")
        return f"{day}/{hour}z/ifs/0p25/enfo/{day}{hour}0000-{step}h-enfo-ef"


def _read_of(reader: Reader, stem: str, line: IndexEntry, member: int) -> MemberRead:
    read = partial(
        reader.read_piece, f"{stem}.grib2", line.offset, line.length, limit=MAX_FIELD_BYTES
    )
    return MemberRead(member, read)


def _time_of(run: int) -> tuple[str, str]:
    return run_text(run, "%Y%m%d"), run_text(run, "%H00")
