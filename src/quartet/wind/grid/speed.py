"""From components to what people read: knots and the direction the wind comes from."""

from typing import NamedTuple

import numpy as np

from quartet.wind.grid.arrays import Floats

# To tenths of a knot twice, and to degrees.
_FACTORS = np.array([[10], [10], [180 / np.pi]], np.float32)


class Wind(NamedTuple):
    """Tenths of a knot and whole degrees from; what is not known is not a number.

    North is 0 or 360.
    """

    wind: Floats
    gust: Floats
    direction: Floats
    # The same three as rows.
    told: Floats


def wind_of(sample: Floats) -> Wind:
    """Of rows u, v and gust in knots."""
    u, v, gust = sample
    told = np.empty_like(sample)
    speed, gusts, degrees = told
    np.hypot(u, v, out=speed)
    # Interpolated gusts are never below the mean, but the last bit of a float may be.
    np.maximum(gust, speed, out=gusts)
    np.arctan2(u, v, out=degrees)
    told *= _FACTORS
    np.rint(told, out=told)
    degrees += 180
    return Wind(speed, gusts, degrees, told)
