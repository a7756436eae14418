"""Whether one can see where one rides."""

import numpy as np
from numpy.typing import NDArray

_DAY = 86400
_YEAR_DAYS = 365.25
# The middle of civil twilight: half an hour after sunset the day is over.
_LOWEST_SUN = np.sin(np.radians(-3.0))


def is_light(times: NDArray[np.int64], lat: float, lon: float) -> NDArray[np.bool_]:
    """Right to a few minutes, which is all that hours of a forecast need."""
    turn = 2 * np.pi * ((times / _DAY) % _YEAR_DAYS - 80.0) / _YEAR_DAYS
    declination = np.radians(23.44) * np.sin(turn)
    # Minutes the sun is ahead of the clock: the orbit is no circle, and the axis stands aslant.
    ahead = 9.87 * np.sin(2 * turn) - 7.53 * np.cos(turn) - 1.5 * np.sin(turn)
    from_noon = 2 * np.pi * ((times % _DAY) / _DAY + ahead / 1440 + lon / 360 - 0.5)
    place = np.radians(lat)
    height = np.sin(place) * np.sin(declination)
    height = height + np.cos(place) * np.cos(declination) * np.cos(from_noon)
    return np.asarray(height > _LOWEST_SUN)
