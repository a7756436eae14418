"""Convert the fields of a model to stored numbers."""

from typing import NamedTuple

import numpy as np

from quartet.wind.grid.arrays import Floats, Int16s
from quartet.wind.grid.layout import DIRECTION_BASE, NO_DATA, PRECIPITATION_UNIT, SCALE
from quartet.wind.models.refused import Refused

Parameter = tuple[int, int, int]

KNOTS = 1 / 0.514444
# Metres per second; stronger wind near the ground has never been measured.
FASTEST = 150.0
_HALF_A_UNIT_EACH = 0.75


class WindFields(NamedTuple):
    """Metres per second; missing values are NaN, and the whole gust may be missing."""

    u: Floats
    v: Floats
    gust: Floats | None


class Conversion(NamedTuple):
    """How values become stored numbers: multiplied, then added to; and their plausible range."""

    factor: float
    plus: float
    lowest: float
    highest: float


_CELSIUS = Conversion(100, -27315, 150, 350)
_PASCAL = Conversion(1, -100_000, 70_000, 120_000)
_MILLIMETRES = Conversion(1 / (SCALE * PRECIPITATION_UNIT), 0, -1, 20_000)
# Packing rounds, so that a field may exceed its range a little.
_PERCENT = Conversion(100, 0, -1, 101)

# The parameters of each channel, by code table numbers. ECMWF has its own numbers for metres of
# precipitation and for the fraction of the sky.
CONVERSIONS: dict[str, dict[Parameter, Conversion]] = {
    "temperature": {(0, 0, 0): _CELSIUS},
    "precipitation": {
        (0, 1, 8): _MILLIMETRES,
        (0, 1, 52): _MILLIMETRES,
        (0, 1, 193): Conversion(1000 * _MILLIMETRES.factor, 0, -0.001, 20),
    },
    "cloud": {(0, 6, 1): _PERCENT, (0, 6, 192): Conversion(10_000, 0, -0.01, 1.01)},
    "pressure": {(0, 3, 0): _PASCAL, (0, 3, 1): _PASCAL},
}
_METRES = Conversion(100, 0, -0.1, 40)
_SECONDS = Conversion(100, 0, -0.1, 60)
_DEGREES = Conversion(100, -100 * DIRECTION_BASE, -0.5, 360.5)

# The parameters of waves: NOAA gives the period and direction of the peak, ECMWF the peak period,
# or the mean one, and the mean direction. The first swell has number 1.
WAVES: dict[Parameter, tuple[str, Conversion]] = {
    (10, 0, 3): ("height", _METRES),
    (10, 0, 11): ("period", _SECONDS),
    (10, 0, 34): ("period", _SECONDS),
    (10, 0, 15): ("period", _SECONDS),
    (10, 0, 10): ("direction", _DEGREES),
    (10, 0, 14): ("direction", _DEGREES),
    (10, 0, 8): ("swell_height", _METRES),
    (10, 0, 9): ("swell_period", _SECONDS),
    (10, 0, 7): ("swell_direction", _DEGREES),
}

# The range of stored numbers that have no sign or an upper limit.
_LIMITS = {"precipitation": (0, 32767), "cloud": (0, 10_000)}


def store_weather(channel: str, parameter: Parameter, values: Floats, row: Int16s) -> None:
    """Convert a field in the unit of its provider; `values` are overwritten."""
    _convert(CONVERSIONS[channel][parameter], values)
    if channel in _LIMITS:
        np.clip(values, *_LIMITS[channel], out=values)
    _copy(np.rint(values, out=values), row)


def store_waves(parameter: Parameter, values: Floats, row: Int16s) -> None:
    """Convert a field of a wave model; `values` are overwritten."""
    _, conversion = WAVES[parameter]
    _convert(conversion, values)
    _copy(np.rint(values, out=values), row)


def _convert(conversion: Conversion, values: Floats) -> None:
    lowest, highest = np.fmin.reduce(values), np.fmax.reduce(values)
    if not (lowest >= conversion.lowest and highest <= conversion.highest):
        raise Refused("implausible")
    values *= np.float32(conversion.factor)
    values += np.float32(conversion.plus)


def store_wind(fields: WindFields, step: int, rows: Int16s) -> None:
    """Put u, v and gust into rows, in hundredths of a knot."""
    speed = fields.u * fields.u
    speed += fields.v * fields.v
    np.sqrt(speed, out=speed)
    _check(speed)
    _quantise(fields.u, rows[0])
    _quantise(fields.v, rows[1])
    gust = _gust_if_any(fields.gust, step)
    if gust is None:
        rows[2] = NO_DATA
    else:
        _check(gust)
        # Each rounded component may be half a unit larger, so the gust is raised accordingly.
        # Values interpolated between stored numbers then never have a gust below the mean wind.
        highest = np.maximum(gust, speed, out=speed)
        highest *= np.float32(KNOTS / SCALE)
        highest += np.float32(_HALF_A_UNIT_EACH)
        _copy(np.ceil(highest, out=highest), rows[2])


def store_speed(speed: Floats, row: Int16s) -> None:
    """Convert a wind speed without direction, as of a member of an ensemble."""
    _check(speed)
    _quantise(speed, row)


def _check(speed: Floats) -> None:
    lowest, highest = np.fmin.reduce(speed), np.fmax.reduce(speed)
    if not (lowest >= -1 and highest <= FASTEST):
        raise Refused("implausible")


def _quantise(component: Floats, row: Int16s) -> None:
    numbers = component * np.float32(KNOTS / SCALE)
    _copy(np.rint(numbers, out=numbers), row)


def _copy(numbers: Floats, row: Int16s) -> None:
    """Copy all numbers; missing ones get the number that stands for no data."""
    # The sum is not a number if any of them is missing, which is rare.
    if np.isnan(numbers.sum()):
        numbers[np.isnan(numbers)] = NO_DATA
    np.copyto(row, numbers, casting="unsafe")


def _gust_if_any(gust: Floats | None, step: int) -> Floats | None:
    """Return no gust if it is 0 everywhere at step 0: ICON has no hour before it."""
    if gust is not None and step == 0 and not np.nanmax(gust, initial=0) > 0:
        return None
    return gust
