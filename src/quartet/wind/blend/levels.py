"""The error that remains at each wind speed.

The lines of models and of their mean fit the wind on average. They cannot follow forecasts and
winds that end at zero, so that strong wind would be forecast too weak.
"""

import numpy as np
from numpy.typing import NDArray

from quartet.wind.blend.state import LEVELS, State
from quartet.wind.grid.arrays import Floats

# Knots between two levels; the last one is for all winds above it.
_LEVEL_KNOTS = np.float32(5.0)
# Samples, of all lead times, at which an error counts half.
_LEVEL_SAMPLES = 300.0


def level_means(state: State) -> Floats:
    """Return the errors at the levels, shrunk as far as there are few samples."""
    count, total = state.levels[:, 0], state.levels[:, 1]
    return np.asarray(total / (count + _LEVEL_SAMPLES), np.float32)


def level_offset(means: Floats, wind: Floats) -> Floats:
    """Return the errors at wind speeds, shaped (station, hour), between those at the levels."""
    below, share = _levels_around(wind)
    low, high = (np.take_along_axis(means, each, axis=1) for each in (below, below + 1))
    return np.asarray(low + (high - low) * share, np.float32)


def learn_levels(state: State, wind: Floats, right: Floats) -> None:
    """Add the errors of a wind, shaped (station, lead class), to the levels around it."""
    error = right - wind
    known = ~np.isnan(error)
    below, share = _levels_around(wind)
    rows = np.broadcast_to(np.arange(len(error))[:, None], error.shape)[known]
    for level, part in ((below, 1 - share), (below + 1, share)):
        np.add.at(state.levels[:, 0], (rows, level[known]), part[known])
        np.add.at(state.levels[:, 1], (rows, level[known]), (part * error)[known])


def _levels_around(wind: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Return the level below a wind speed, and how much the one above it counts."""
    place = np.clip(np.nan_to_num(wind) / _LEVEL_KNOTS, 0, LEVELS - 1)
    below = np.minimum(place.astype(np.intp), LEVELS - 2)
    return below, np.asarray(place - below, np.float32)
