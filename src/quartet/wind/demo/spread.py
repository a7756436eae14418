"""How the members of the demo's ensembles differ; needs no library for GRIB files."""

from functools import lru_cache

import numpy as np

from quartet.wind.grid.arrays import Doubles
from quartet.wind.grid.layout import ENSEMBLE_SHARES

# The model whose forecast the members vary.
WIND_OF = {
    "icon-d2-eps": "icon-d2",
    "icon-eu-eps": "icon-eu",
    "ecmwf-ens": "ecmwf",
    "gefs": "gfs",
}
_MEMBERS = 30
# Members differ by so much of the wind at the start, and more with each day.
_FIRST_SPREAD, _SPREAD_PER_DAY = 0.04, 0.06


def factor_of(run: int, step: int, member: int) -> float:
    """Return how much stronger the wind of a member is; the control run has none of it."""
    if not member:
        return 1.0
    return max(1 + (_FIRST_SPREAD + _SPREAD_PER_DAY * step / 24) * _away(run, member), 0.0)


@lru_cache(maxsize=256)
def _away(run: int, member: int) -> float:
    return float(np.random.default_rng((run, member)).standard_normal())


def quantile_factors(run: int, step: int) -> Doubles:
    """Return the quantiles of the wind of all members, as multiples of it."""
    factors = [factor_of(run, step, member) for member in range(1, _MEMBERS + 1)]
    return np.asarray(np.quantile(factors, ENSEMBLE_SHARES), np.float64)
