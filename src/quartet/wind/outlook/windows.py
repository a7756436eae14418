"""Finds windows: long enough, in daylight, with wanted wind from a wanted direction."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from quartet.wind.gear.rig import GUST_SHARE, WindRange, what_to_rig
from quartet.wind.gear.types import GearItem
from quartet.wind.outlook.hours import ForecastHours
from quartet.wind.outlook.types import GoodWindow
from quartet.wind.spots.directions import width
from quartet.wind.spots.types import Sector

_SHORTEST_SECONDS = 2 * 3600

Flags = NDArray[np.bool_]


def rideable_hours(hours: ForecastHours, ranges: Sequence[WindRange]) -> Flags:
    """Vectorised version of the check in `what_to_rig`."""
    gust = np.where(np.isnan(hours.gust), hours.wind, hours.gust)
    rig_wind = hours.wind + np.maximum(gust - hours.wind, 0.0) * GUST_SHARE
    low = np.array([each.low for each in ranges])[:, None]
    high = np.array([each.high for each in ranges])[:, None]
    return np.asarray(((hours.wind >= low) & (rig_wind <= high)).any(axis=0))


def from_sectors(hours: ForecastHours, sectors: Sequence[Sector]) -> Flags:
    if not sectors:
        return np.ones(hours.steps, np.bool_)
    start = np.array([each.start for each in sectors])[:, None]
    wide = np.array([width(each) for each in sectors])[:, None]
    return np.asarray(((hours.direction - start) % 360 <= wide).any(axis=0))


def windows_of(
    hours: ForecastHours,
    good: Flags,
    items: Sequence[GearItem],
    shortest: int = _SHORTEST_SECONDS,
) -> list[GoodWindow]:
    return [
        _window(hours, slice(first, last + 1), items)
        for first, last in _rows(hours, good)
        if hours.end[last] - hours.start[first] >= shortest
    ]


def _rows(hours: ForecastHours, good: Flags) -> Iterator[tuple[int, int]]:
    """Yield first and last index of consecutive good hours."""
    first: int | None = None
    for number in range(hours.steps):
        if not good[number]:
            first = None
            continue
        first = number if first is None else first
        following = number + 1
        goes_on = (
            following < hours.steps
            and good[following]
            and hours.start[following] == hours.end[number]
        )
        if not goes_on:
            yield first, number
            first = None


def _window(hours: ForecastHours, rows: slice, items: Sequence[GearItem]) -> GoodWindow:
    weights = (hours.end - hours.start)[rows]
    wind, gust = hours.wind[rows], hours.gust[rows]
    mean = float(np.average(wind, weights=weights))
    has_gust = ~np.isnan(gust)
    gusts = float(np.average(gust[has_gust], weights=weights[has_gust])) if has_gust.any() else None
    return GoodWindow(
        int(hours.start[rows][0]),
        int(hours.end[rows][-1]),
        hours.runs[rows.start].model,
        round(mean, 1),
        round(float(wind.max()), 1),
        round(float(gust[has_gust].max()), 1) if has_gust.any() else None,
        _mean_direction(hours.direction[rows], wind * weights),
        what_to_rig(items, mean, gusts),
        None if hours.chance is None else round(100 * float(hours.chance[rows].mean())),
    )


def _mean_direction(degrees: NDArray[np.float64], weights: NDArray[np.float64]) -> int | None:
    """Return the weighted mean direction, or None if the directions cancel out."""
    turns = np.radians(degrees)
    east, north = (np.sin(turns) * weights).sum(), (np.cos(turns) * weights).sum()
    if np.hypot(east, north) < 1e-6 * max(weights.sum(), 1.0):
        return None
    return int(np.rint(np.degrees(np.arctan2(east, north)))) % 360
