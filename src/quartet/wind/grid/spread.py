"""How far the members of an ensemble are apart."""

import numpy as np

from quartet.wind.grid.arrays import Floats
from quartet.wind.grid.layout import ENSEMBLE_CHANNELS

# The distances between quantiles of a normal distribution, in standard deviations.
_WIDE, _NARROW = 2.5631, 1.3490
_P10, _P25, _P75, _P90 = (ENSEMBLE_CHANNELS.index(name) for name in ("p10", "p25", "p75", "p90"))


def spread_of(quantiles: Floats) -> Floats:
    """Return the standard deviation from rows of quantiles; the first axis is the quantile."""
    wide = (quantiles[_P90] - quantiles[_P10]) / _WIDE
    narrow = (quantiles[_P75] - quantiles[_P25]) / _NARROW
    return np.asarray((wide + narrow) / 2, np.float32)
