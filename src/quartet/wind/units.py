"""Units in which people read values; everything is stored and computed in knots, °C, mm and m."""

import math
from bisect import bisect_right
from typing import Literal

import msgspec

WindUnit = Literal["kn", "ms", "kmh", "mph", "bft"]

_NAMES: dict[WindUnit, str] = {
    "kn": "kn",
    "ms": "m/s",
    "kmh": "km/h",
    "mph": "mph",
    "bft": "Bft",
}
_FACTORS: dict[WindUnit, float] = {
    "kn": 1.0,
    "ms": 0.514444,
    "kmh": 1.852,
    "mph": 1.852 / 1.609344,
}
# The lower limit of each Beaufort force in knots.
_BEAUFORT = (1, 4, 7, 11, 17, 22, 28, 34, 41, 48, 56, 64)


class Units(msgspec.Struct, frozen=True):
    """The units that a user has chosen; messages are written in them."""

    wind: WindUnit = "kn"
    temperature: Literal["c", "f"] = "c"
    rain: Literal["mm", "in"] = "mm"
    # Of waves and of the ground.
    height: Literal["m", "ft"] = "m"


def unit_name(unit: WindUnit) -> str:
    return _NAMES[unit]


def wind_number(knots: float, unit: WindUnit) -> str:
    """Return the wind as the pages show it, rounded and without its unit."""
    if unit == "bft":
        return str(bisect_right(_BEAUFORT, _rounded(knots)))
    return str(_rounded(knots * _FACTORS[unit]))


def wind_text(low: float, high: float, unit: WindUnit) -> str:
    """Return a range such as "15-20 kn", or one number if both are shown alike."""
    first, last = wind_number(low, unit), wind_number(high, unit)
    return f"{first if first == last else f'{first}-{last}'} {_NAMES[unit]}"


def units_of(saved: object) -> Units:
    """Return the saved units of an account, or the usual ones if none were chosen."""
    return Units() if saved is None else msgspec.convert(saved, Units)


def _rounded(number: float) -> int:
    # As in browsers: halves are rounded up.
    return math.floor(number + 0.5)
