"""Finds windows: enough consecutive hours that meet the conditions."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quartet.wind.alerts.hourly import Hourly
from quartet.wind.alerts.local_time import HOUR
from quartet.wind.alerts.rules import Bools, Rules
from quartet.wind.alerts.types import AlertWindow
from quartet.wind.grid.arrays import Doubles, Floats

Numbers = NDArray[np.int64]


class _Runs(NamedTuple):
    """Start and end indexes of runs of good hours in a flattened table."""

    row: Numbers
    edges: Numbers
    width: int


def windows_of(rules: Rules, weather: Hourly, now: float) -> Iterator[tuple[int, AlertWindow]]:
    """Yield windows with the index of their alert, ordered by alert and time."""
    runs = _runs(rules.good_hours(weather, now), rules.min_hours)
    if not len(runs.row):
        return
    starts, ends = runs.edges[0::2] % runs.width, runs.edges[1::2] % runs.width
    wind = _padded(weather.wind, runs.width)
    gust = np.fmax.reduceat(_padded(weather.gust, runs.width), runs.edges)[::2]
    direction = _mean_direction(weather, runs)
    columns = (
        runs.row,
        weather.first + HOUR * starts,
        weather.first + HOUR * ends,
        np.rint(np.minimum.reduceat(wind, runs.edges)[::2]),
        np.rint(np.maximum.reduceat(wind, runs.edges)[::2]),
        np.where(np.isnan(gust), -1, np.rint(gust)),
        direction,
    )
    numbers = (column.astype(np.int64).tolist() for column in columns)
    for row, start, end, low, high, peak, degrees in zip(*numbers, strict=True):
        gusts = None if peak < 0 else peak / 10
        yield row, AlertWindow(start, end, low / 10, high / 10, gusts, degrees)


def _runs(good_hours: Bools, least: Numbers) -> _Runs:
    """Return the runs that are long enough."""
    width = good_hours.shape[1] + 1
    # A bad hour after each row, so that no run continues into the next row.
    padded = np.zeros((len(good_hours), width), bool)
    padded[:, :-1] = good_hours
    flat = padded.ravel()
    edges = np.flatnonzero(np.diff(flat, prepend=False))
    starts, ends = edges[0::2], edges[1::2]
    row = starts // width
    kept = ends - starts >= least[row]
    return _Runs(row[kept], np.stack((starts[kept], ends[kept]), axis=1).ravel(), width)


def _padded(numbers: Floats, width: int) -> Floats:
    padded = np.zeros((len(numbers), width), np.float32)
    padded[:, :-1] = numbers
    return padded.ravel()


def _mean_direction(weather: Hourly, runs: _Runs) -> Doubles:
    """Return the direction of the mean wind vector, in which calm hours weigh little."""
    u, v = (
        np.add.reduceat(_padded(component, runs.width), runs.edges)[::2]
        for component in (weather.u, weather.v)
    )
    return np.asarray(np.rint(np.degrees(np.arctan2(u, v)) + 180) % 360, np.float64)
