"""What the rest of the service needs to know about a forecast model."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, Protocol

from quartet.wind.grid.geometry import Area
from quartet.wind.grid.layout import CHANNELS, ENSEMBLE_CHANNELS, WAVE_CHANNELS, WIND_CHANNELS

Provider = Literal["dwd", "noaa", "noaa-gefs", "ecmwf", "meteofrance"]

HOUR = 3600


@dataclass(frozen=True)
class Fetched:
    """Files, or ranges of files, that hold some steps of a run."""

    pieces: tuple[bytes, ...] = field(repr=False)
    # The first ones hold the wind or the height of waves; a run is served without the others if
    # they are bad.
    required: int | None = None
    # Of ensembles: the number of the member that each one is of.
    members: tuple[int, ...] = ()


@dataclass(frozen=True)
class Listing:
    """The steps that have wind, and the extras (gusts and weather): parameters with their steps."""

    steps: tuple[int, ...]
    extras: frozenset[tuple[str, int]] = frozenset()


class Reader(Protocol):
    """Reads the files of one provider by their path; raises `NotYet` if one is missing."""

    async def read(self, path: str, *, limit: int) -> bytes: ...

    async def read_piece(self, path: str, first: int, length: int | None, *, limit: int) -> bytes:
        """Read bytes from `first` on, to the end of the file if `length` is None."""

    async def names(self, path: str) -> list[str]:
        """Return the names in a folder listing."""

    def reject(self, path: str) -> None:
        """Remember that the file is bad: it is not transferred again until it has changed."""

    def time(self) -> float | None:
        """Return the time by the provider's clock, if its answers contained one."""


class Upstream(Protocol):
    """Knows the paths and file formats of a family of models."""

    def batches(self, run: int, steps: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Group steps that come in the same files, in the order of publication."""

    async def listed(self, reader: Reader, run: int, *, with_extras: bool) -> Listing | None:
        """Return what a provider lists, or None if it has no listings.

        With `with_extras`, steps whose gust or weather is not listed are left out.
        """

    async def fetch(
        self,
        reader: Reader,
        run: int,
        steps: tuple[int, ...],
        listing: Listing | None,
        *,
        with_extras: bool,
    ) -> Fetched:
        """Fetch one batch; without `with_extras` a missing gust is no reason to wait."""

    async def fetch_cells(self, reader: Reader, run: int) -> Fetched:
        """Fetch latitude and longitude of the cells of an unstructured grid."""

    async def fetch_land(self, reader: Reader, run: int) -> Fetched | None:
        """Fetch how much of each point is land, or return None if that is not published."""


@dataclass(frozen=True)
class Model:
    """Times are in seconds; `area` is None for a model of the whole world.

    `steps` is what the provider is expected to publish for a run of an hour of the day. What it
    really publishes is learnt from its listings, indexes and files.
    """

    id: str
    name: str
    provider: Provider
    credit: str
    resolution_km: float
    area: Area | None
    run_hours: tuple[int, ...]
    steps: Callable[[int], tuple[int, ...]]
    upstream: Upstream
    # From the time of a run to its first file, and usually from its first file to its last.
    delay: int
    span: int
    # What is stored of it.
    channels: tuple[str, ...] = CHANNELS

    @property
    def has_waves(self) -> bool:
        """Whether it is a model of waves instead of wind."""
        return self.channels[0] == WAVE_CHANNELS[0]

    @property
    def is_ensemble(self) -> bool:
        return self.channels == ENSEMBLE_CHANNELS

    @property
    def has_wind(self) -> bool:
        """Whether it is a model of wind, neither of waves nor an ensemble."""
        return self.channels[0] == WIND_CHANNELS[0]

    @property
    def reach_hours(self) -> int:
        return max(max(self.steps(hour)) for hour in self.run_hours)

    @property
    def step_hours(self) -> int:
        """The distance of the first steps; later ones may be further apart."""
        first, second = self.steps(self.run_hours[0])[:2]
        return second - first

    @property
    def interval(self) -> int:
        return 24 * HOUR // len(self.run_hours)

    @property
    def longest(self) -> int:
        """The age of a run after which the model is late by more than one interval."""
        return self.delay + self.span + 2 * self.interval

    def run_at_or_before(self, time: float) -> int:
        run = int(time) // HOUR * HOUR
        while self.hour(run) not in self.run_hours:
            run -= HOUR
        return run

    def steps_of(self, run: int) -> tuple[int, ...]:
        return self.steps(self.hour(run))

    def longer_run(self, newest: int) -> int | None:
        """Return the latest run before the newest one that should reach further than it."""
        end = newest + self.steps_of(newest)[-1] * HOUR
        run = newest
        while newest - run < 12 * HOUR:
            run = self.run_at_or_before(run - 1)
            if run + self.steps_of(run)[-1] * HOUR > end:
                return run
        return None

    @staticmethod
    def hour(run: int) -> int:
        return run // HOUR % 24


def run_text(run: int, form: str) -> str:
    """Format the time of a run as file names spell it."""
    return datetime.fromtimestamp(run, UTC).strftime(form)


def every_hours(*spans: tuple[int, int]) -> tuple[int, ...]:
    """Return steps from 0 on; each span is its last step and the distance of its steps."""
    steps = [0]
    for end, hours in spans:
        steps += range(steps[-1] + hours, end + 1, hours)
    return tuple(steps)
