"""From components to what people read: knots and the direction the wind comes from."""

from typing import NamedTuple

import numpy as np

from quartet.wind.grid.arrays import Floats


class Wind(NamedTuple):
    """Tenths of a knot and whole degrees from; what is not known is not a number.

    North is 0 or 360.
    """

    wind: Floats
    gust: Floats
    direction: Floats


def wind_of(sample: Floats) -> Wind:
    """Of rows u, v and gust in knots."""
    u, v, gust = sample
    speed = np.hypot(u, v)
    # Interpolated gusts are never below the mean, but the last bit of a float may be.
    gust = np.maximum(gust, speed)
    degrees = np.rint(np.arctan2(u, v) * np.float32(180 / np.pi)) + 180
    return Wind(np.rint(speed * 10), np.rint(gust * 10), degrees)
