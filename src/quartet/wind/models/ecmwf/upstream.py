"""Open data of ECMWF: one file per step, with an index of JSON lines."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import msgspec

from quartet.wind.models.extras import read_with_extras
from quartet.wind.models.refused import Refused
from quartet.wind.models.types import Fetched, Listing, Reader, run_text

MAX_INDEX_BYTES = 4 * 1024 * 1024
MAX_FIELD_BYTES = 16 * 1024 * 1024


class WantedParameters(NamedTuple):
    """The parameters to read; of each group of extras the first one that a file has."""

    required: tuple[str, ...]
    extras: tuple[tuple[str, ...], ...]


# The name of the gust has changed over the years; a file has one of these, or none.
_GUSTS = ("10fg", "max_10fg", "max_i10fg", "i10fg")
# By stream. The open data have no swell.
WANTED = {
    "oper": WantedParameters(("10u", "10v"), (_GUSTS, ("2t",), ("tp",), ("tcc",), ("msl",))),
    "wave": WantedParameters(("swh",), (("pp1d", "mwp"), ("mwd",))),
}
LAND = WantedParameters(("lsm",), ())


class IndexEntry(msgspec.Struct, frozen=True):
    param: str
    levtype: str
    date: str
    time: str
    step: str
    offset: int = msgspec.field(name="_offset")
    length: int = msgspec.field(name="_length")
    # Only members of the ensemble have a number.
    number: str | None = None


_decoder = msgspec.json.Decoder(IndexEntry)


@dataclass(frozen=True)
class EcmwfUpstream:
    """`folder` names the model: `ifs` or `aifs-single`."""

    folder: str
    stream: Literal["oper", "wave"] = "oper"

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
        index = await reader.read(f"{stem}.index", limit=MAX_INDEX_BYTES)
        reads = [
            reader.read_piece(f"{stem}.grib2", line.offset, line.length, limit=MAX_FIELD_BYTES)
            for line in wanted_lines(index, run, WANTED[self.stream])
        ]
        first = len(WANTED[self.stream].required)
        pieces = await read_with_extras(reads[:first], reads[first:], required=with_extras)
        return Fetched(pieces, required=first)

    async def fetch_cells(self, reader: Reader, run: int) -> Fetched:
        raise Refused("wrong_grid")

    async def fetch_land(self, reader: Reader, run: int) -> Fetched | None:
        if self.stream != "oper":
            return None
        stem = self.stem(run, 0)
        index = await reader.read(f"{stem}.index", limit=MAX_INDEX_BYTES)
        (line,) = wanted_lines(index, run, LAND)
        return Fetched(
            (
                await reader.read_piece(
                    f"{stem}.grib2", line.offset, line.length, limit=MAX_FIELD_BYTES
                ),
            )
        )

    def stem(self, run: int, step: int) -> str:
        day, hour = run_text(run, "%Y%m%d"), run_text(run, "%H")
        name = f"{day}{hour}0000-{step}h-{self.stream}-fc"
        return f"{day}/{hour}z/{self.folder}/0p25/{self.stream}/{name}"


def wanted_lines(
    index: bytes, run: int, wanted: WantedParameters = WANTED["oper"]
) -> list[IndexEntry]:
    lines = parse_index(index)
    if any(
        (line.date, line.time) != (run_text(run, "%Y%m%d"), f"{run_text(run, '%H')}00")
        for line in lines
    ):
        raise Refused("wrong_run")
    found = {line.param: line for line in lines if line.levtype == "sfc" and line.number is None}
    if not found.keys() >= set(wanted.required):
        raise Refused("missing_field")
    extras = [next((name for name in group if name in found), None) for group in wanted.extras]
    return [found[name] for name in (*wanted.required, *extras) if name is not None]


def parse_index(index: bytes) -> list[IndexEntry]:
    try:
        lines = [_decoder.decode(row) for row in index.splitlines() if row.strip()]
    except (msgspec.MsgspecError, UnicodeError):
        raise Refused("unreadable") from None
    if any(line.offset < 0 or line.length <= 0 for line in lines):
        raise Refused("unreadable")
    return lines
