"""Compact storage of a run's hourly forecast for a station."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quartet.wind.grid.arrays import Floats
from quartet.wind.grid.layout import ENSEMBLE_CHANNELS
from quartet.wind.grid.spread import spread_of
from quartet.wind.grid.weather import wind_of

if TYPE_CHECKING:
    from quartet.wind.grid.reading import StoredRun

LEADS = 73
_MISSING = -1
_HOUR = 3600
_MEDIAN = ENSEMBLE_CHANNELS.index("p50")

Numbers = NDArray[np.float64]


class LeadTimeHours(NamedTuple):
    """Knots and degrees the wind comes from, for lead times of 0 to 72 hours; NaN if missing."""

    wind: Numbers
    direction: Numbers


def hours_of(run: "StoredRun", lat: float, lon: float) -> bytes | None:
    """Return the packed forecast, or None if the run has no data there."""
    sample = run.sample(lat, lon)
    if sample is None:
        return None
    leads = (np.array(run.times) - run.run) // _HOUR
    near = leads < LEADS
    if run.header.is_ensemble:
        return pack_spread(sample[:, near], leads[near])
    wind = wind_of(sample[:, near])
    hours = LeadTimeHours(np.full(LEADS, np.nan), np.full(LEADS, np.nan))
    hours.wind[leads[near]] = wind.wind / 10
    hours.direction[leads[near]] = wind.direction
    return None if np.isnan(hours.wind).all() else pack(hours)


def pack_spread(quantiles: Floats, leads: NDArray[np.intp]) -> bytes | None:
    """Pack the median of an ensemble in tenths of a knot, and its spread in hundredths."""
    rows = np.full((2, LEADS), np.nan)
    rows[:, leads] = 10 * quantiles[_MEDIAN], 100 * spread_of(quantiles)
    if np.isnan(rows).all():
        return None
    return np.where(np.isnan(rows), _MISSING, np.rint(rows)).astype("<i2").tobytes()


def pack(hours: LeadTimeHours) -> bytes:
    rows = np.stack([hours.wind * 10, hours.direction])
    return np.where(np.isnan(rows), _MISSING, np.rint(rows)).astype("<i2").tobytes()


def unpack(stored: bytes) -> LeadTimeHours:
    rows = np.frombuffer(stored, "<i2").reshape(2, LEADS).astype(np.float64)
    rows[rows == _MISSING] = np.nan
    return LeadTimeHours(rows[0] / 10, rows[1])
