from typing import Literal

import msgspec

from quartet.kernel.errors import Problem

# Shares are told of hours with at least so many knots.
THRESHOLDS = (5, 10, 15, 20, 25, 30)
YEARS = 10
SECTORS = 16

StatsSource = Literal["dwd", "open_meteo", "demo"]


class Spread(msgspec.Struct, frozen=True, rename="camel"):
    """Knots; `hours_over` is the share of hours with at least so many, `n` the hours counted."""

    mean: float
    p50: float
    p90: float
    hours_over: dict[str, float]
    n: int


class Month(Spread, frozen=True, rename="camel"):
    """`rose` is the share of hours with wind from each of 16 directions, north first."""

    month: int
    rose: list[float]


class Hour(Spread, frozen=True, rename="camel"):
    """Of the day, as clocks at the station show it."""

    hour: int


class Ready(msgspec.Struct, frozen=True, tag_field="status", tag="ready"):
    """`source` says whether it was measured (dwd) or computed afterwards (open_meteo)."""

    source: StatsSource
    years: list[int]
    months: list[Month]
    hours: list[Hour]


class Pending(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="status", tag="pending"):
    """`progress` from 0 to 1; `error` of the last try, after which there will be another."""

    progress: float
    error: Problem | None = None


class Task(msgspec.Struct, frozen=True):
    """Statistics of a station that are due."""

    station: int
    asked: int
    done: int | None
    source: StatsSource | None
    error: Problem | None
