"""Files of the US weather service (NOAA): one file per step, with a text index."""

from dataclasses import dataclass
from typing import NamedTuple

from quartet.wind.models.extras import read_with_extras
from quartet.wind.models.refused import Refused
from quartet.wind.models.types import Fetched, Listing, Reader, run_text

MAX_INDEX_BYTES = 1024 * 1024
MAX_FIELD_BYTES = 16 * 1024 * 1024

# A variable and its level.
Wanted = tuple[tuple[str, str], ...]

WIND: Wanted = (("UGRD", "10 m above ground"), ("VGRD", "10 m above ground"))
WEATHER: Wanted = (
    ("GUST", "surface"),
    ("TMP", "2 m above ground"),
    ("APCP", "surface"),
    ("TCDC", "entire atmosphere"),
    ("PRMSL", "mean sea level"),
)


LAND: Wanted = (("LAND", "surface"),)
WAVES: Wanted = (("HTSGW", "surface"),)
# There are three swells, of which the first is the highest.
SWELL: Wanted = (
    ("PERPW", "surface"),
    ("DIRPW", "surface"),
    ("SWELL", "1 in sequence"),
    ("SWPER", "1 in sequence"),
    ("SWDIR", "1 in sequence"),
)


class IndexLine(NamedTuple):
    """A line of the index; the `length` of the last message of a file is unknown."""

    offset: int
    length: int | None
    day: str
    variable: str
    level: str
    time: str

    @property
    def usable(self) -> bool:
        """Whether a field is of the whole run or of its moment, not of the hours before it.

        Precipitation is given twice, as `18-21 hour acc` and `0-21 hour acc`, and so are clouds,
        as `21 hour fcst` and `18-21 hour ave`. Whole days are written as `0-1 day acc`.
        """
        return self.time.startswith("0-") if self.variable == "APCP" else "ave" not in self.time


@dataclass(frozen=True)
class GfsUpstream:
    """`form` is the path of a file; extras may be missing."""

    form: str = "gfs.{day}/{hour}/atmos/gfs.t{hour}z.pgrb2.0p25.f{step:03}"
    required: Wanted = WIND
    extras: Wanted = WEATHER

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
        path, day = self.path(run, steps[0]), run_text(run, "%Y%m%d%H")
        index = await reader.read(f"{path}.idx", limit=MAX_INDEX_BYTES)
        lines = wanted_lines(index, day, self.required, self.extras)
        reads = [
            reader.read_piece(path, offset, length, limit=MAX_FIELD_BYTES)
            for offset, length in messages_of(lines)
        ]
        first = len(messages_of(lines[: len(self.required)]))
        pieces = await read_with_extras(reads[:first], reads[first:], required=with_extras)
        return Fetched(pieces, required=first)

    async def fetch_cells(self, reader: Reader, run: int) -> Fetched:
        raise Refused("wrong_grid")

    async def fetch_land(self, reader: Reader, run: int) -> Fetched | None:
        if self.required is not WIND:
            return None
        path, day = self.path(run, 0), run_text(run, "%Y%m%d%H")
        index = await reader.read(f"{path}.idx", limit=MAX_INDEX_BYTES)
        (line,) = wanted_lines(index, day, LAND, ())
        piece = await reader.read_piece(path, line.offset, line.length, limit=MAX_FIELD_BYTES)
        return Fetched((piece,))

    def path(self, run: int, step: int) -> str:
        day, hour = run_text(run, "%Y%m%d"), run_text(run, "%H")
        return self.form.format(day=day, hour=hour, step=step)


def wanted_lines(
    index: bytes, day: str, required: Wanted = WIND, extras: Wanted = WEATHER
) -> list[IndexLine]:
    lines = parse_index(index)
    if any(line.day != day for line in lines):
        raise Refused("wrong_run")
    found = {(line.variable, line.level): line for line in reversed(lines) if line.usable}
    if not found.keys() >= set(required):
        raise Refused("missing_field")
    return [found[wanted] for wanted in (*required, *extras) if wanted in found]


def messages_of(lines: list[IndexLine]) -> list[tuple[int, int | None]]:
    """Return offset and length of each message once: one may hold several fields."""
    return list(dict.fromkeys((line.offset, line.length) for line in lines))


def parse_index(index: bytes) -> list[IndexLine]:
    """Parse lines of `number:offset:d=YYYYMMDDHH:variable:level:time:`; more may follow.

    The fields of one message have numbers such as 5.1 and 5.2, and the same offset.
    """
    rows = [row.split(":") for row in index.decode("ascii", "replace").splitlines() if row]
    try:
        starts = [int(row[1]) for row in rows]
        messages = list(dict.fromkeys(starts))
        ends = dict(zip(messages, [*messages[1:], None], strict=True))
        return [
            IndexLine(start, _length(start, ends[start]), row[2].removeprefix("d="), *row[3:6])
            for row, start in zip(rows, starts, strict=True)
        ]
    except (ValueError, IndexError, TypeError):
        raise Refused("unreadable") from None


def _length(start: int, end: int | None) -> int | None:
    if end is None:
        return None
    if not 0 <= start < end:
        raise ValueError
    return end - start
