"""Hourly wave heights of many places."""

from collections.abc import Sequence

import numpy as np

from quartet.wind.alerts.hourly import Ints, between, corners_of
from quartet.wind.alerts.local_time import HOUR
from quartet.wind.grid.arrays import Doubles, Floats
from quartet.wind.grid.forecast import Forecast
from quartet.wind.grid.layout import NO_DATA, SCALE
from quartet.wind.grid.reading import StoredRun
from quartet.wind.grid.waves import heights_at_sea


def read_waves(
    forecasts: Sequence[Forecast], lats: Doubles, lons: Doubles, first: int, hours: int
) -> Floats | None:
    """Return tenths of a metre, NaN where no model has waves; earlier forecasts are preferred."""
    wanted = first + HOUR * np.arange(hours, dtype=np.int64)
    found: Floats | None = None
    for forecast in forecasts:
        for part in forecast.parts:
            more = _read(part.run, lats, lons, wanted)
            found = more if found is None else np.where(np.isnan(found), more, found)
    return found


def _read(run: StoredRun, lats: Doubles, lons: Doubles, wanted: Ints) -> Floats:
    corners = corners_of(run.header.grid, lats, lons)
    numbers = heights_at_sea(run, corners.points, corners.weights)
    heights = np.where(numbers == NO_DATA, np.nan, numbers * (10 * SCALE)).astype(np.float32)
    heights[~corners.inside] = np.nan
    times = np.array(run.times, np.int64)
    steps = between(times, wanted)
    low, high = heights[:, steps.before], heights[:, steps.after]
    rows = np.rint(low + (high - low) * steps.share)
    rows[:, steps.unknown | (wanted > times[-1])] = np.nan
    return np.asarray(rows, np.float32)
