from typing import Literal

import msgspec

from quartet.kernel.errors import Problem

# Shares of hours are given for at least this many knots.
THRESHOLDS = (5, 10, 15, 20, 25, 30)
YEARS = 10
SECTORS = 16

StatsSource = Literal["dwd", "open_meteo", "demo"]


class Spread(msgspec.Struct, frozen=True, rename="camel"):
    """Knots; `hours_over`: share of hours with at least that many knots, `n`: number of hours."""

    mean: float
    p50: float
    p90: float
    hours_over: dict[str, float]
    n: int


class Month(Spread, frozen=True, rename="camel"):
    """`rose`: share of hours with wind from each of 16 directions, starting at north.

    `forces`: the same by force, with a share below each of the thresholds and above the last one;
    empty until the archive has been read again. `hour_means`: mean wind of each hour of the day.
    """

    month: int
    rose: list[float]
    forces: list[list[float]]
    hour_means: list[float]


class HourOfDay(Spread, frozen=True, rename="camel"):
    """An hour of the day in the local time of the station."""

    hour: int


class Ready(msgspec.Struct, frozen=True, tag_field="status", tag="ready"):
    """`source`: measured (dwd) or computed afterwards (open_meteo)."""

    source: StatsSource
    years: list[int]
    months: list[Month]
    hours: list[HourOfDay]


class Pending(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="status", tag="pending"):
    """`progress` from 0 to 1; `error` of the last attempt, which will be repeated."""

    progress: float
    error: Problem | None = None


class StatisticsTask(msgspec.Struct, frozen=True):
    """A row of the statistics table."""

    station: int
    asked: int
    done: int | None
    source: StatsSource | None
    error: Problem | None
