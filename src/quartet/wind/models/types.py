"""What a forecast model is to the rest of the service."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, Protocol

from quartet.wind.grid.geometry import Area

Provider = Literal["dwd", "noaa", "ecmwf", "meteofrance"]

HOUR = 3600


@dataclass(frozen=True)
class Fetched:
    """Files, or the pieces of files, that hold some steps of a run."""

    pieces: tuple[bytes, ...] = field(repr=False)
    bz2: bool = False


class Reader(Protocol):
    """Reads files of one provider by their path."""

    async def read(self, path: str, *, limit: int) -> bytes:
        """A whole file; raises `NotYet` where there is none."""

    async def read_piece(self, path: str, first: int, length: int | None, *, limit: int) -> bytes:
        """Bytes from `first` on, to the end of the file where `length` is not known."""


class Upstream(Protocol):
    """Knows the addresses and file forms of a family of models."""

    def batches(self, run: int, steps: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Steps that come in the same files, in the order they appear."""

    async def fetch(self, reader: Reader, run: int, steps: tuple[int, ...]) -> Fetched: ...


@dataclass(frozen=True)
class Model:
    """Times in seconds; `area` is nothing for a model of the whole world."""

    id: str
    name: str
    provider: Provider
    credit: str
    resolution_km: float
    area: Area | None
    run_hours: tuple[int, ...]
    steps: Callable[[int], tuple[int, ...]]
    upstream: Upstream
    # From the time of a run to its first file, and from the first file to the last as a rule.
    delay: int
    span: int
    # Fetches latitude and longitude of its cells, where these are not in rows and columns.
    cells: Callable[[Reader, int], Awaitable[Fetched]] | None = None

    @property
    def reach_hours(self) -> int:
        return max(max(self.steps(hour)) for hour in self.run_hours)

    @property
    def step_hours(self) -> int:
        """Of the next hours; later steps may be further apart."""
        first, second = self.steps(self.run_hours[0])[:2]
        return second - first

    @property
    def interval(self) -> int:
        return 24 * HOUR // len(self.run_hours)

    @property
    def longest(self) -> int:
        """After this age of a run two later ones should be there."""
        return self.delay + self.span + 2 * self.interval

    def run_at_or_before(self, time: float) -> int:
        run = int(time) // HOUR * HOUR
        while self.hour(run) not in self.run_hours:
            run -= HOUR
        return run

    def steps_of(self, run: int) -> tuple[int, ...]:
        return self.steps(self.hour(run))

    @staticmethod
    def hour(run: int) -> int:
        return run // HOUR % 24


def run_text(run: int, form: str) -> str:
    """The time of a run as file names spell it."""
    return datetime.fromtimestamp(run, UTC).strftime(form)


def every_hours(*spans: tuple[int, int]) -> tuple[int, ...]:
    """Steps to `end` in strides of `hours`, span after span, beginning with 0."""
    steps = [0]
    for end, hours in spans:
        steps += range(steps[-1] + hours, end + 1, hours)
    return tuple(steps)
