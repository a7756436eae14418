"""Convert stored numbers to the speed and direction of the wind, and to weather symbols."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quartet.wind.grid.arrays import Floats
from quartet.wind.grid.layout import PRECIPITATION_UNIT, STEPS_PER_BLOCK, Header

# To tenths of a knot, twice, and to degrees.
_WIND_FACTORS = np.array([[10], [10], [180 / np.pi]], np.float32)

_HOUR = 3600
_DAY = 86400
_YEAR_DAYS = 365.25
_TILT = np.radians(23.44)
# The upper edge of the sun is at the horizon, with refraction.
_HORIZON = np.float32(np.sin(np.radians(-0.833)))

# Percent of the sky from which it has few clouds, is partly cloudy and is overcast.
CLOUD_LIMITS = (12.5, 37.5, 87.5)
# Millimetres per hour from which precipitation is light, moderate and heavy.
RAIN_LIMITS = (0.1, 1.0, 4.0)
# Degrees Celsius from which precipitation is sleet and rain.
SNOW_LIMITS = (0.5, 1.5)
# Added to a symbol at night.
NIGHT = 100

_SKY = (0, 1, 2, 3)
# By temperature; light, moderate and heavy. The first is for an overcast sky, the second for
# showers, between which the sky is visible.
_OVERCAST = ((71, 73, 75), (68, 69, 69), (61, 63, 65))
_SHOWERS = ((85, 86, 86), (83, 84, 84), (80, 81, 82))


def _symbols() -> list[int]:
    """Return the symbols in the order of `symbol_numbers`."""
    found = []
    for cloud in range(4):
        wet = _OVERCAST if cloud == 3 else _SHOWERS
        for rain in range(4):
            for kind in range(3):
                symbol = _SKY[cloud] if rain == 0 else wet[kind][rain - 1]
                found += [symbol + NIGHT, symbol]
    return found


# Codes of the WMO's table 4677, as far as a forecast of these fields can know them.
SYMBOLS = _symbols()


# What each row of `symbol_numbers` is compared with, and adds to a place in `SYMBOLS`. Degrees have
# a changed sign: unknown ones reach no limit, so they count as rain.
_LIMITS = np.array(
    [*CLOUD_LIMITS, *RAIN_LIMITS, *(1e-6 - limit for limit in SNOW_LIMITS), _HORIZON], np.float32
)[:, None]
_ADDED = np.array([24, 24, 24, 6, 6, 6, -2, -2, 1], np.float32)
_DRY_RAIN = np.float32(4)
# The rows of clouds, of precipitation and of temperature, and the row of the sun.
_CLOUDS, _RAIN, _WARMTH, _SUN = slice(0, 3), slice(3, 6), slice(6, 8), 8


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
    rows *= _WIND_FACTORS
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


def symbol_numbers(compared: Floats, symbols: Floats) -> None:
    """Put places in `SYMBOLS` into a row, NaN without clouds; an unknown rate counts as dry.

    The rows of `compared` are clouds three times, precipitation per hour three times, degrees with
    a changed sign twice, and the sine of the height of the sun.
    """
    # All comparisons at once: for short rows numpy's calls cost more than its arithmetic.
    reached = (compared >= _limits(compared.shape[1])).astype(np.float32)
    np.dot(_ADDED, reached, out=symbols)
    # Adding NaN passes it on.
    symbols += compared[0] * 0 + _DRY_RAIN


@lru_cache(maxsize=32)
def _limits(columns: int) -> Floats:
    """Return the limits of each column, because numpy is slow where it has to repeat them."""
    return _LIMITS.repeat(columns, axis=1)


def calendar_of(header: Header) -> Floats:
    """Return what the times of a run's steps say, without its numbers.

    The first row turns precipitation as it is stored, since the step before, into millimetres per
    hour. The others are the direction of the sun, in the axes of `place_vector`.
    """
    steps = np.array(header.steps, np.float64)
    hours = np.diff(steps, prepend=-1.0 if header.steps[0] == 0 else 0.0)
    found = np.zeros((4, header.blocks * STEPS_PER_BLOCK), np.float32)
    found[0, : len(steps)] = PRECIPITATION_UNIT / hours
    found[1:, : len(steps)] = _sun(header.run + steps * _HOUR)
    return found


def place_vector(lat: float, lon: float) -> Floats:
    up, along = math.radians(lat), math.radians(lon)
    across = math.cos(up)
    return np.array([math.sin(up), across * math.cos(along), across * math.sin(along)], np.float32)


def _sun(times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the direction of the sun, in the axes of `place_vector`."""
    turn = 2 * np.pi * ((times / _DAY) % _YEAR_DAYS - 80.0) / _YEAR_DAYS
    declination = _TILT * np.sin(turn)
    # The equation of time in minutes, due to the elliptical orbit and the tilted axis.
    ahead = 9.87 * np.sin(2 * turn) - 7.53 * np.cos(turn) - 1.5 * np.sin(turn)
    from_noon = 2 * np.pi * ((times % _DAY) / _DAY + ahead / 1440 - 0.5)
    across = np.cos(declination)
    return np.stack((np.sin(declination), across * np.cos(from_noon), -across * np.sin(from_noon)))


def weather_into(
    stored: Floats, calendar: Floats, before: NDArray[np.intp], place: Floats, symbols: Floats
) -> None:
    """Replace precipitation since the start of the run by that since the previous step.

    The rows of `stored` are temperature, precipitation, cloud and pressure. `before` is the column
    from which precipitation is subtracted. `symbols` becomes the places of the symbols in
    `SYMBOLS`.
    """
    temperature, amount, cloud, _ = stored
    amount -= amount.take(before)
    # Packing rounds, so that a later sum may be smaller by a little.
    np.maximum(amount, 0, out=amount)
    compared: Floats = np.empty((len(_LIMITS), len(amount)), np.float32)
    compared[_CLOUDS] = cloud
    np.multiply(amount, calendar[0], out=compared[_RAIN.start])
    compared[_RAIN.start + 1 : _RAIN.stop] = compared[_RAIN.start]
    np.negative(temperature, out=compared[_WARMTH.start])
    compared[_WARMTH.start + 1] = compared[_WARMTH.start]
    np.dot(place, calendar[1:], out=compared[_SUN])
    symbol_numbers(compared, symbols)
