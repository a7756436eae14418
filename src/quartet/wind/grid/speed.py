"""Convert wind components to speed and direction."""

from typing import NamedTuple

import numpy as np

from quartet.wind.grid.arrays import Floats

# To tenths of a knot, twice, and to degrees.
_FACTORS = np.array([[10], [10], [180 / np.pi]], np.float32)


class Wind(NamedTuple):
    """Tenths of a knot and the direction the wind comes from in degrees; NaN if unknown.

    North is 0 or 360.
    """

    wind: Floats
    gust: Floats
    direction: Floats
    # The same three arrays as rows of one.
    rows: Floats


def wind_of(sample: Floats) -> Wind:
    """Convert rows u, v and gust in knots."""
    u, v, gust = sample
    rows = np.empty_like(sample)
    speed, gusts, degrees = rows
    np.hypot(u, v, out=speed)
    # Interpolated gusts are never below the mean wind, except by the last bit of a float.
    np.maximum(gust, speed, out=gusts)
    np.arctan2(u, v, out=degrees)
    rows *= _FACTORS
    np.rint(rows, out=rows)
    degrees += 180
    return Wind(speed, gusts, degrees, rows)
