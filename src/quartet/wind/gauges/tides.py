"""Predict high and low water from the last month of a gauge.

The levels are fitted with the main constituents of the tide by least squares. A month separates
them well enough to predict a week; slow changes of their size over the years need no correction,
because every fit is a few hours old. Wind is not part of the prediction.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from quartet.wind.gauges.types import LevelSeries, Tide
from quartet.wind.grid.arrays import Doubles

_HOUR, _DAY = 3600, 86400
PREDICTED_SECONDS = 7 * _DAY
# The constituents that a month can tell apart, in degrees per hour: M2, S2, N2, L2, MU2, K1, O1,
# Q1, MSF, and those that arise in shallow water: MK3, MO3, M4, MS4, MN4, M6, 2MS6, 2MN6, M8.
_SPEEDS = (
    *(28.9841042, 30.0, 28.4397295, 29.5284789, 27.9682084, 15.0410686, 13.9430356, 13.3986609),
    *(1.0158958, 44.0251729, 42.9271398, 57.9682084, 58.9841042, 57.4238337),
    *(86.9523127, 87.9682084, 86.4079380, 115.9364168),
)
_FREQUENCIES = np.radians(_SPEEDS) / _HOUR
_LEAST_SECONDS = 27.5 * _DAY
# With a smaller share of the tide in all changes, levels are made by the weather.
_LEAST_SHARE = 0.5
_ROUNDS = 4
_STEP = 360
# A high water is the highest level of this many hours around it; others are waves on the curve.
_AROUND = 4 * _HOUR // _STEP


class Fit(NamedTuple):
    """Coefficients of the mean and of the cosine and sine of each constituent since `origin`."""

    origin: int
    coefficients: Doubles


def fit_tide(series: LevelSeries) -> Fit | None:
    """Return None if the series is too short, or has more weather than tide."""
    times = np.array(series.times, np.float64)
    levels = np.array(series.level, np.float64)
    span = times[-1] - times[0] if len(times) else 0
    if span < _LEAST_SECONDS or len(times) * 2 * _HOUR < span:
        return None
    origin = int(times[0])
    waves = _waves(times - origin)
    weights = np.ones(len(levels))
    for _ in range(_ROUNDS):
        root = np.sqrt(weights)
        solved = np.linalg.lstsq(waves * root[:, None], levels * root, rcond=None)[0]
        coefficients = np.asarray(solved, np.float64)
        rest = np.abs(levels - waves @ coefficients)
        # Hours of a storm surge count less.
        usual = 1.5 * np.median(rest) + 1e-9
        weights = usual / np.maximum(rest, usual)
    tide = waves[:, 1:] @ coefficients[1:]
    if np.std(tide) < _LEAST_SHARE * np.std(levels):
        return None
    return Fit(origin, coefficients)


def tides_of(fit: Fit, start: int, end: int, decimals: int = 0) -> list[Tide]:
    """Return high and low waters between two times."""
    margin = _AROUND * _STEP
    times = np.arange(start - margin, end + margin, _STEP, dtype=np.float64)
    levels = _waves(times - fit.origin) @ fit.coefficients
    windows = np.lib.stride_tricks.sliding_window_view(levels, 2 * _AROUND + 1)
    middle = levels[_AROUND:-_AROUND]
    found: list[Tide] = []
    for at in np.flatnonzero((middle == windows.max(axis=1)) | (middle == windows.min(axis=1))):
        time, level = _peak(times, levels, int(at) + _AROUND)
        high = bool(middle[at] == windows[at].max())
        if start <= time < end:
            found.append(Tide(round(time), "high" if high else "low", round(level, decimals)))
    return found[:1] + [two for one, two in pairwise(found) if two.kind != one.kind]


def _peak(times: Doubles, levels: Doubles, at: int) -> tuple[float, float]:
    """Return the vertex of the parabola through three points."""
    before, here, after = levels[at - 1 : at + 2]
    bend = before - 2 * here + after
    shift = 0.0 if bend == 0 else 0.5 * (before - after) / bend
    return float(times[at] + shift * _STEP), float(here - 0.25 * (before - after) * shift)


def _waves(seconds: Doubles) -> Doubles:
    angles = seconds[:, None] * _FREQUENCIES
    ones = np.ones((len(seconds), 1))
    return np.concatenate((ones, np.cos(angles), np.sin(angles)), axis=1)
