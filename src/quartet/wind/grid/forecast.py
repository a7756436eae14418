"""The forecast of a model: its newest run, continued by older runs that reach further."""

from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

import msgspec
import numpy as np

from quartet.wind.grid.arrays import Floats
from quartet.wind.grid.geometry import FindCorners, Grid
from quartet.wind.grid.land import Surface
from quartet.wind.grid.layout import CHANNELS, STEPS_PER_BLOCK
from quartet.wind.grid.reading import StoredRun

# An older run says too little about days that newer ones do not reach.
_OLDEST_CONTINUATION = 24 * 3600


class Part(NamedTuple):
    """The steps of a run from number `first` on."""

    run: StoredRun
    first: int

    @property
    def times(self) -> list[int]:
        return self.run.times[self.first :]

    @property
    def first_block(self) -> int:
        """The block of the step before the first one, from which precipitation is counted."""
        return max(self.first - 1, 0) // STEPS_PER_BLOCK

    @property
    def blocks(self) -> int:
        """The number of blocks that are read for it."""
        return self.run.header.blocks - self.first_block


class Read:
    """What is read of a run; bound here, because looking it up for each place takes longer."""

    __slots__ = ("corners", "into", "land")

    def __init__(self, part: Part) -> None:
        place = part.run.place
        self.corners: FindCorners = place.find_corners if isinstance(place, Grid) else place.corners
        self.land = part.run.land
        # Reads all channels of four points into an array, shaped (blocks, 4, channels * 8).
        self.into = part.run.block_reader(part.first_block)


class Columns:
    """The columns of a forecast, without its numbers: it does not keep deleted runs open.

    The blocks of all parts follow each other, `blocks` of each. `spans` are the columns of each
    part; `starts` are those at which the blocks of a run begin, with the step that is there.
    """

    def __init__(self, parts: tuple[Part, ...]) -> None:
        self.has_weather = any(part.run.header.channels == CHANNELS for part in parts)
        self.spans: list[tuple[int, int]] = []
        self.starts: list[tuple[int, int]] = []
        self.blocks = [part.blocks for part in parts]
        calendars, start = [], 0
        for part in parts:
            before = part.first_block * STEPS_PER_BLOCK
            first = start + part.first - before
            self.spans.append((first, first + len(part.times)))
            self.starts.append((start, part.run.header.steps[before]))
            calendars.append(part.run.calendar[:, before:])
            start += calendars[-1].shape[1]
        self.calendar: Floats = np.concatenate(calendars, axis=1)


class Forecast:
    """`run` is the newest run; the times of all parts follow each other."""

    def __init__(self, parts: tuple[Part, ...]) -> None:
        self.parts = parts
        self.columns = Columns(parts)
        self.reads = [Read(part) for part in parts]
        self.newest = parts[0].run
        self.model, self.run = self.newest.model, self.newest.run
        self.partial = self.newest.header.partial
        self.times: list[int] = [time for part in parts for time in part.times]
        head: dict[str, object] = {"model": self.model, "run": self.run, "times": self.times}
        if len(parts) > 1:
            head["parts"] = [{"run": part.run.run, "since": part.times[0]} for part in parts]
        # The beginning of a JSON object, without its closing brace.
        self.json_head = msgspec.json.encode(head).removesuffix(b"}")

    @property
    def has_waves(self) -> bool:
        return self.newest.header.has_waves

    @property
    def has_wind(self) -> bool:
        return self.newest.header.has_wind

    @property
    def reach_hours(self) -> int:
        """The longest lead time, counted from the run it belongs to."""
        return max(part.run.header.steps[-1] for part in self.parts)

    @cached_property
    def alone(self) -> "Forecast":
        """Return the newest run without its continuation."""
        return self if len(self.parts) == 1 else Forecast(self.parts[:1])

    def sample(self, lat: float, lon: float, surface: Surface | None = None) -> Floats | None:
        """Return rows in knots; not a number where a continuation has no place."""
        first = self.newest.sample(lat, lon, surface)
        if first is None:
            return None
        rows = [first]
        for part in self.parts[1:]:
            more = part.run.sample(lat, lon, surface)
            nothing = np.full((len(first), len(part.times)), np.nan, np.float32)
            rows.append(nothing if more is None else more[:, part.first :])
        return np.concatenate(rows, axis=1)


def join_runs(runs: Iterable[StoredRun]) -> Forecast:
    """Join runs, the newest first."""
    newest, *older = runs
    parts = [Part(newest, 0)]
    for run in older:
        first = bisect_right(run.times, parts[-1].run.times[-1])
        if first < len(run.times) and newest.run - run.run <= _OLDEST_CONTINUATION:
            parts.append(Part(run, first))
    return Forecast(tuple(parts))
