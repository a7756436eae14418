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


def wind_of(sample: Floats) -> Wind:
    """Convert rows u, v and gust in knots."""
    rows = np.empty_like(sample)
    wind_into(sample, rows)
    rows *= _FACTORS
    np.rint(rows, out=rows)
    speed, gusts, degrees = rows
    degrees += 180
    return Wind(speed, gusts, degrees)


def wind_into(sample: Floats, rows: Floats) -> None:
    """Convert to rows of speed and gust in knots, and the direction it blows to in radians."""
    u, v, gust = sample
    speed, gusts, radians = rows
    # Several times faster than `hypot`, which guards against numbers that no wind has.
    np.multiply(u, u, out=speed)
    np.multiply(v, v, out=gusts)
    speed += gusts
    np.sqrt(speed, out=speed)
    # Interpolated gusts are never below the mean wind, except by the last bit of a float.
    np.maximum(gust, speed, out=gusts)
    np.arctan2(u, v, out=radians)
