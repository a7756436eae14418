"""The errors of the models of the demo; they make the correct ranking known."""

from typing import NamedTuple

import numpy as np

from quartet.wind.demo.weather import (
    DAY,
    Truth,
    at_points,
    on_map,
    small_waves,
    truth_at,
    truth_map,
)
from quartet.wind.grid.arrays import Doubles


class Error(NamedTuple):
    """`late` is the delay of lows in hours per day of lead time, `noise` a factor of the small
    waves.
    """

    factor: float
    late: float
    noise: float
    shift: float


# From the best model to the worst.
ERRORS = {
    "icon-d2-ruc": Error(1.005, 0.1, 0.15, 0.7),
    "icon-d2": Error(1.01, 0.2, 0.3, 1.3),
    "arome": Error(0.98, 0.4, 0.6, 2.1),
    "icon-eu": Error(1.04, 0.6, 0.9, 3.7),
    "ecmwf": Error(0.94, 0.8, 1.2, 4.9),
    "aifs": Error(0.935, 0.85, 1.25, 4.9),
    "icon": Error(1.09, 1.0, 1.5, 5.3),
    "aicon": Error(1.1, 1.05, 1.6, 5.3),
    "arpege": Error(0.87, 1.4, 1.9, 6.7),
    "gfs": Error(1.18, 1.8, 2.3, 8.1),
}


def forecast_map(model: str, run: int, lats: Doubles, lons: Doubles, time: float) -> Truth:
    """Return the forecast of a run for a time, on rows and columns."""
    error, days = ERRORS[model], (time - run) / DAY
    right = truth_map(lats, lons, time - error.late * 3600 * days)
    wrong = small_waves(lats, lons, time, on_map, error.shift)
    return _mixed(right, wrong, error, days)


def forecast_at(model: str, run: int, lats: Doubles, lons: Doubles, time: float) -> Truth:
    """Return the forecast of a run for a time, at single places."""
    error, days = ERRORS[model], (time - run) / DAY
    right = truth_at(lats, lons, time - error.late * 3600 * days)
    wrong = small_waves(lats, lons, time, at_points, error.shift)
    return _mixed(right, wrong, error, days)


def _mixed(right: Truth, wrong: tuple[Doubles, Doubles], error: Error, days: float) -> Truth:
    noise = error.noise * (0.5 + 0.25 * min(days, 4))
    u = right.u * error.factor + wrong[0] * noise
    v = right.v * error.factor + wrong[1] * noise
    # The gust is derived from the wind of the forecast, not from the true wind.
    ratio = right.gust / np.maximum(np.hypot(right.u, right.v), 0.5)
    return Truth(u, v, np.hypot(u, v) * np.minimum(ratio, 2.0) + 0.5)
