"""How certain the blend is: its past errors, by lead time and wind speed."""

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from quartet.wind.blend.state import LEAD_ENDS, PIT_BINS, State
from quartet.wind.grid.arrays import Doubles, Floats

# Knots, and how many samples they count as.
_USUAL_ERROR = 2.4
_USUAL_HOURS = 12.0
_LEAD_HOURS = 16.0
_CLASS_HOURS = 200.0
_PIT_HOURS = 400.0
_LEAST_DEVIATION = 0.4
# Errors of each lead time as a multiple of those at a day.
_GROWTH: Floats = np.sqrt(0.35 + 0.65 * np.array(LEAD_ENDS) / 24).astype(np.float32)
# The standard deviation of a normal distribution as a multiple of its mean absolute error.
MEAN_TO_DEVIATION = 1.2533

_NORMAL = NormalDist()
_POSITIONS: Doubles = np.linspace(-4, 4, 161)
_SHARES: Doubles = np.array([_NORMAL.cdf(each) for each in _POSITIONS])
# Knots in the middle of each class of wind speeds.
_MIDDLES = (4.0, 12.0, 20.0)
PIT_EDGES: Doubles = np.linspace(0, 1, PIT_BINS + 1)[1:-1]
_ALL_EDGES: Doubles = np.linspace(0, 1, PIT_BINS + 1)


def position(standard: Floats | Doubles) -> Doubles:
    """Return the share of a normal distribution below a standardised error."""
    return np.interp(standard, _POSITIONS, _SHARES)


def quantile(share: Doubles) -> Doubles:
    return np.interp(share, _SHARES, _POSITIONS)


def deviations(state: State) -> Floats:
    """Return how large the error usually is, by station and lead class.

    It is the standard deviation of a normal distribution with the same mean absolute error: few
    large errors would make the usual ones of a lead time look larger than they are. It is shrunk
    towards that of all lead times, which grows with the lead time.
    """
    count, absolute = state.spread[:, 0], state.spread[:, 1]
    total = absolute.sum(axis=1, keepdims=True) + _USUAL_ERROR * _USUAL_HOURS
    grown = (count * _GROWTH).sum(axis=1, keepdims=True)
    usual = _GROWTH * total / (grown + _USUAL_HOURS)
    mean = (absolute + _LEAD_HOURS * usual) / (count + _LEAD_HOURS)
    return np.asarray(np.maximum(MEAN_TO_DEVIATION * mean, _LEAST_DEVIATION), np.float32)


def class_factors(state: State) -> Floats:
    """Return factors of the deviation by wind speed."""
    count, absolute = state.classes[:, 0], state.classes[:, 1]
    mean = (MEAN_TO_DEVIATION * absolute + _CLASS_HOURS) / (count + _CLASS_HOURS)
    return np.asarray(mean, np.float32)


def wind_class(wind: Floats) -> NDArray[np.intp]:
    """Return the class of wind speeds, which `_MIDDLES` are of."""
    return np.asarray((wind >= 8).astype(np.intp) + (wind >= 16))


def factor_of(factors: Floats, wind: Floats) -> Floats:
    """Return the factors of wind speeds, shaped (station, hour), between those of the classes."""
    place = np.clip((np.nan_to_num(wind) - _MIDDLES[0]) / (_MIDDLES[1] - _MIDDLES[0]), 0, 2)
    low = np.minimum(place.astype(np.intp), len(_MIDDLES) - 2)
    before, after = (np.take_along_axis(factors, each, axis=1) for each in (low, low + 1))
    return np.asarray(before + (after - before) * (place - low), np.float32)


def measured_shares(state: State) -> Doubles:
    """Return how many measurements were below each edge of the parts of the distribution."""
    counts = state.pit.astype(np.float64) + _PIT_HOURS / PIT_BINS
    below = np.cumsum(counts, axis=1) / counts.sum(axis=1, keepdims=True)
    return np.concatenate((np.zeros((len(counts), 1)), below), axis=1)


def standard_quantile(shares: Doubles, share: float) -> float:
    """Return the standardised error below which a share of the measurements was."""
    return float(standard_quantiles(shares, np.array([share]))[0])


def standard_quantiles(shares: Doubles, wanted: Doubles) -> Doubles:
    return quantile(np.interp(wanted, shares, _ALL_EDGES))


def share_below(shares: Doubles, standard: Doubles) -> Doubles:
    """Return the share of measurements below standardised errors."""
    return np.interp(position(standard), _ALL_EDGES, shares)


def median(numbers: Floats) -> Floats:
    """Return medians of the last axis; several times faster than `nanmedian`."""
    ordered = np.sort(numbers, axis=-1)
    count = (~np.isnan(numbers)).sum(axis=-1, keepdims=True)
    low = np.take_along_axis(ordered, np.maximum(count - 1, 0) // 2, axis=-1)
    high = np.take_along_axis(ordered, np.minimum(count // 2, numbers.shape[-1] - 1), axis=-1)
    return np.asarray((low + high) / 2, np.float32)
