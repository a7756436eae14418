"""How certain the blend is at each hour, from the spread of ensembles.

The members of an ensemble usually differ less than the forecast errs, so its spread is calibrated:
the variance of the error is `steady` times that of past errors, plus `spread` times that of the
members. Both factors are a regression of past errors, as in ensemble model output statistics.
"""

from typing import NamedTuple

import numpy as np

from quartet.wind.blend.state import State
from quartet.wind.grid.arrays import Doubles, Floats

# What is assumed before anything is learnt, and how many hours it counts as.
_PRIOR_HOURS = 200.0
_PRIOR_RATIO = 0.5
_PRIOR_FACTOR = 1.0
_RATIO_VARIANCE = 0.1
# Some of the variance never depends on the members.
_LEAST_STEADY = 0.1
_MOST_FACTOR = 6.0
_FADE_HOURS = 6.0


class Spreads(NamedTuple):
    """Standard deviations of the members in knots, shaped (ensemble, place, hour); NaN for none."""

    knots: Floats
    # Hours to the end of each ensemble's forecast, shaped (ensemble, hour).
    left: Floats


def spread_factors(state: State) -> Floats:
    """Return the factors `steady` and `spread`, shaped (station, 2, ensemble)."""
    count, ratio, error, squares, products = np.moveaxis(state.ensembles.astype(np.float64), 1, 0)
    some = np.maximum(count, 1e-6)
    together = products - ratio * error / some + _PRIOR_HOURS * _RATIO_VARIANCE * _PRIOR_FACTOR
    varied = squares - ratio * ratio / some + _PRIOR_HOURS * _RATIO_VARIANCE
    mean_ratio = (ratio + _PRIOR_HOURS * _PRIOR_RATIO) / (count + _PRIOR_HOURS)
    mean_error = (error + _PRIOR_HOURS) / (count + _PRIOR_HOURS)
    most = (1 - _LEAST_STEADY) * mean_error / np.maximum(mean_ratio, 1e-3)
    factor = np.clip(together / np.maximum(varied, 1e-6), 0, np.minimum(most, _MOST_FACTOR))
    return np.stack((mean_error - factor * mean_ratio, factor), axis=1).astype(np.float32)


def calibrated(deviation: Floats, spreads: Floats, factors: Floats, fade: Floats | None) -> Floats:
    """Return the deviation, shaped (place, hour), with what the ensembles say about each hour.

    `factors` are those of `spread_factors`; without `fade` all ensembles count the same.
    """
    steady, factor = np.moveaxis(factors, 1, 0)
    known = ~np.isnan(spreads)
    share = known.astype(np.float32) if fade is None else known * fade[:, None]
    variance = steady.T[..., None] * deviation**2 + factor.T[..., None] * spreads**2
    total = share.sum(axis=0)
    mean = np.where(known, share * variance, 0).sum(axis=0) / np.maximum(total, 1e-6)
    # Past errors take over in the hours in which the last ensemble ends.
    part = np.minimum(total, 1)
    return np.asarray(np.sqrt(part * mean + (1 - part) * deviation**2), np.float32)


def fade_of(left: Floats) -> Floats:
    return np.asarray(np.clip(left / _FADE_HOURS, 0, 1), np.float32)


def learn_spreads(state: State, spreads: Floats, standard: Floats, past: Floats) -> None:
    """Add an hour: `standard` are errors in deviations of `past`; shaped (station, lead class).

    `spreads` are shaped (ensemble, station, lead class).
    """
    for number, spread in enumerate(spreads):
        known = ~np.isnan(spread) & ~np.isnan(standard)
        if not known.any():
            continue
        ratio: Doubles = np.where(known, (spread / past) ** 2, 0).astype(np.float64)
        error: Doubles = np.where(known, standard**2, 0).astype(np.float64)
        sums = state.ensembles[:, :, number]
        parts = (known, ratio, error, ratio * ratio, ratio * error)
        sums += np.stack([part.sum(axis=1) for part in parts], axis=1).astype(np.float32)
