"""Convert the fields of a model to stored numbers."""

from typing import NamedTuple

import numpy as np

from quartet.wind.grid.arrays import Floats, Int16s
from quartet.wind.grid.layout import NO_DATA, SCALE
from quartet.wind.models.refused import Refused

KNOTS = 1 / 0.514444
# Metres per second; stronger wind near the ground has never been measured.
FASTEST = 150.0
_HALF_A_UNIT_EACH = 0.75


class WindFields(NamedTuple):
    """Metres per second; missing values are NaN, and the whole gust may be missing."""

    u: Floats
    v: Floats
    gust: Floats | None


def stored(fields: WindFields, step: int) -> Int16s:
    """Return rows u, v and gust in hundredths of a knot."""
    speed = fields.u * fields.u
    speed += fields.v * fields.v
    np.sqrt(speed, out=speed)
    _check(speed)
    rows = np.empty((3, fields.u.size), np.int16)
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
    return rows


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
