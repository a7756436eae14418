"""Which pieces of gear fit the wind.

Rule of thumb for gear without a wind range, for a rider of 80 kg: a sail works best at 107 knots
divided by its square metres, a kite at 176 and a wing at 90. It is usable from 4/5 of that wind
to 4/3 of it. A sail of 7.0 covers 12 to 20 knots, a kite of 12 covers 12 to 20, a wing of 5
covers 14 to 24. There is no such rule for boards and foils.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from quartet.wind.gear.types import GearItem, Kind

_BEST_KNOTS_BY_SIZE: dict[Kind, float] = {"sail": 107.0, "kite": 176.0, "wing": 90.0}
_LIGHTEST, _STRONGEST = 0.8, 4 / 3
# Defaults for an open end of a range.
_CALM, _STORM = 0.0, 60.0
# Riders choose gear for more than the mean wind, but not for the strongest gust.
GUST_SHARE = 1 / 3


class WindRange(NamedTuple):
    """Knots, both ends included."""

    low: float
    high: float


def range_of(item: GearItem) -> WindRange | None:
    """Return the usable wind range, or None for gear without one, such as most boards."""
    best = _BEST_KNOTS_BY_SIZE.get(item.kind)
    if best is None and item.wind_min is None and item.wind_max is None:
        return None
    low, high = _CALM, _STORM
    if best is not None:
        low, high = best / item.size * _LIGHTEST, best / item.size * _STRONGEST
    # A given limit always applies, even if the rule puts the other limit beyond it.
    if item.wind_min is not None:
        low, high = item.wind_min, max(high, item.wind_min)
    if item.wind_max is not None:
        low, high = min(low, item.wind_max), item.wind_max
    return WindRange(low, high)


def rideable_ranges(items: Sequence[GearItem]) -> list[WindRange]:
    """Return the wind ranges of sails, kites and wings; of other gear if there are none."""
    pulling = [item for item in items if item.kind in _BEST_KNOTS_BY_SIZE]
    ranges = [range_of(item) for item in pulling or items]
    return [each for each in ranges if each is not None]


def rig_wind(wind: float, gust: float | None) -> float:
    """Return the wind to choose gear for."""
    return wind if gust is None else wind + max(gust - wind, 0.0) * GUST_SHARE


def what_to_rig(items: Sequence[GearItem], wind: float, gust: float | None) -> list[GearItem]:
    """Return the gear that fits, best first: the closer to the middle of its range, the better."""
    found = []
    for item in items:
        usable = range_of(item)
        if usable is not None and wind >= usable.low and rig_wind(wind, gust) <= usable.high:
            found.append((_distance_from_middle(usable, rig_wind(wind, gust)), item))
    return [item for _, item in sorted(found, key=lambda each: each[0])]


def _distance_from_middle(usable: WindRange, wind: float) -> float:
    """Return 0 in the middle of a range and 1 at its ends."""
    half = (usable.high - usable.low) / 2
    off = abs(wind - usable.low - half)
    return off / half if half else (0.0 if off == 0 else math.inf)
