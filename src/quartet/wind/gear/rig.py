"""What to rig: which pieces fit the wind of an hour.

The rule of thumb for a piece without a wind range, made for a rider of 80 kg: a sail is at its
best at 107 knots divided by its square metres, a kite at 176 and a wing at 90. It can be used from
four fifths of that wind to a third more. So a sail of 7.0 is for 12 to 20 knots, a kite of 12 for
12 to 20, a wing of 5 for 14 to 24. Boards and foils have no such rule.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from quartet.wind.gear.types import GearItem, Kind

_BEST_KNOTS_BY_SIZE: dict[Kind, float] = {"sail": 107.0, "kite": 176.0, "wing": 90.0}
_LIGHTEST, _STRONGEST = 0.8, 4 / 3
# What nobody has said the end of.
_CALM, _STORM = 0.0, 60.0
# One rigs for more than the mean, but not for the strongest gust.
GUST_SHARE = 1 / 3


class Range(NamedTuple):
    """Knots, with both ends."""

    low: float
    high: float


def range_of(item: GearItem) -> Range | None:
    """Nothing for a piece that does not care, such as a board nobody has set a range for."""
    best = _BEST_KNOTS_BY_SIZE.get(item.kind)
    if best is None and item.wind_min is None and item.wind_max is None:
        return None
    low, high = _CALM, _STORM
    if best is not None:
        low, high = best / item.size * _LIGHTEST, best / item.size * _STRONGEST
    # An end that was given counts, also where the rule would put the other end beyond it.
    if item.wind_min is not None:
        low, high = item.wind_min, max(high, item.wind_min)
    if item.wind_max is not None:
        low, high = min(low, item.wind_max), item.wind_max
    return Range(low, high)


def rideable(items: Sequence[GearItem]) -> list[Range]:
    """Wind one has something for: what pulls decides, a board only where there is nothing else."""
    pulling = [item for item in items if item.kind in _BEST_KNOTS_BY_SIZE]
    ranges = [range_of(item) for item in pulling or items]
    return [each for each in ranges if each is not None]


def felt(wind: float, gust: float | None) -> float:
    """The wind one rigs for."""
    return wind if gust is None else wind + max(gust - wind, 0.0) * GUST_SHARE


def what_to_rig(items: Sequence[GearItem], wind: float, gust: float | None) -> list[GearItem]:
    """The pieces that fit, the best first: where the wind is in the middle of their range."""
    found = []
    for item in items:
        usable = range_of(item)
        if usable is not None and wind >= usable.low and felt(wind, gust) <= usable.high:
            found.append((_off(usable, felt(wind, gust)), item))
    return [item for _, item in sorted(found, key=lambda each: each[0])]


def _off(usable: Range, wind: float) -> float:
    """0 in the middle of a range, 1 at its ends."""
    half = (usable.high - usable.low) / 2
    off = abs(wind - usable.low - half)
    return off / half if half else (0.0 if off == 0 else math.inf)
