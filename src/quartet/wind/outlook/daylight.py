"""Daylight."""

import numpy as np
from numpy.typing import NDArray

_DAY = 86400
_YEAR_DAYS = 365.25
# The middle of civil twilight, with the sun 3 degrees below the horizon.
_LOWEST_SUN = np.sin(np.radians(-3.0))


def is_light(times: NDArray[np.int64], lat: float, lon: float) -> NDArray[np.bool_]:
    """Return whether it is light; accurate to a few minutes, enough for hourly forecasts."""
    turn = 2 * np.pi * ((times / _DAY) % _YEAR_DAYS - 80.0) / _YEAR_DAYS
    declination = np.radians(23.44) * np.sin(turn)
    # The equation of time in minutes, due to the elliptical orbit and the tilted axis.
    ahead = 9.87 * np.sin(2 * turn) - 7.53 * np.cos(turn) - 1.5 * np.sin(turn)
    from_noon = 2 * np.pi * ((times % _DAY) / _DAY + ahead / 1440 + lon / 360 - 0.5)
    place = np.radians(lat)
    height = np.sin(place) * np.sin(declination)
    height = height + np.cos(place) * np.cos(declination) * np.cos(from_noon)
    return np.asarray(height > _LOWEST_SUN)
