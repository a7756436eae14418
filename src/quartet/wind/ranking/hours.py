"""What a run said about a place, hour by hour, as few bytes."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quartet.wind.grid.speed import wind_of

if TYPE_CHECKING:
    from quartet.wind.grid.reading import StoredRun

LEADS = 73
_MISSING = -1
_HOUR = 3600

Numbers = NDArray[np.float64]


class Hours(NamedTuple):
    """Knots and degrees from, one for each lead of 0 to 72 hours; nan where nothing is told."""

    wind: Numbers
    direction: Numbers


def hours_of(run: "StoredRun", lat: float, lon: float) -> bytes | None:
    """Nothing where the run has nothing to say."""
    sample = run.sample(lat, lon)
    if sample is None:
        return None
    leads = (np.array(run.times) - run.run) // _HOUR
    near = leads < LEADS
    wind = wind_of(sample[:, near])
    told = Hours(np.full(LEADS, np.nan), np.full(LEADS, np.nan))
    told.wind[leads[near]] = wind.wind / 10
    told.direction[leads[near]] = wind.direction
    return None if np.isnan(told.wind).all() else packed(told)


def packed(hours: Hours) -> bytes:
    rows = np.stack([hours.wind * 10, hours.direction])
    return np.where(np.isnan(rows), _MISSING, np.rint(rows)).astype("<i2").tobytes()


def unpacked(stored: bytes) -> Hours:
    rows = np.frombuffer(stored, "<i2").reshape(2, LEADS).astype(np.float64)
    rows[rows == _MISSING] = np.nan
    return Hours(rows[0] / 10, rows[1])
