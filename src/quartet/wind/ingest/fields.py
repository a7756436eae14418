"""The rules by which fields of a model become stored numbers."""

from typing import NamedTuple

import numpy as np

from quartet.wind.grid.arrays import Floats, Int16s
from quartet.wind.grid.layout import NO_DATA, SCALE
from quartet.wind.models.refused import Refused

KNOTS = 1 / 0.514444
# Metres a second; more has never been measured near the ground, and it fits into the store.
FASTEST = 150.0
_HALF_A_UNIT_EACH = 0.75


class WindFields(NamedTuple):
    """Metres a second; what is missing is not a number, a gust may be missing as a whole."""

    u: Floats
    v: Floats
    gust: Floats | None


def stored(fields: WindFields, step: int) -> Int16s:
    """Rows u, v and gust in hundredths of a knot."""
    speed = np.sqrt(fields.u * fields.u + fields.v * fields.v)
    _check(speed)
    rows = np.full((3, fields.u.size), NO_DATA, np.int16)
    _quantise(fields.u, rows[0])
    _quantise(fields.v, rows[1])
    gust = _believed(fields.gust, step)
    if gust is not None:
        _check(gust)
        # Not below the rounded components either, of which each may be half a unit larger: so also
        # what is interpolated later between stored numbers never has a gust below the mean.
        highest = np.maximum(gust, speed) * np.float32(KNOTS / SCALE)
        highest += np.float32(_HALF_A_UNIT_EACH)
        _copy(np.ceil(highest, out=highest), rows[2])
    return rows


def _check(speed: Floats) -> None:
    lowest, highest = np.nanmin(speed), np.nanmax(speed)
    if not (lowest >= -1 and highest <= FASTEST):
        raise Refused("implausible")


def _quantise(component: Floats, row: Int16s) -> None:
    numbers = component * np.float32(KNOTS / SCALE)
    _copy(np.rint(numbers, out=numbers), row)


def _copy(numbers: Floats, row: Int16s) -> None:
    """All but what is missing."""
    np.copyto(row, numbers, where=~np.isnan(numbers), casting="unsafe")


def _believed(gust: Floats | None, step: int) -> Floats | None:
    """At the start of a run there is no hour before, and ICON says 0 for its highest gust."""
    if gust is not None and step == 0 and not np.nanmax(gust, initial=0) > 0:
        return None
    return gust
