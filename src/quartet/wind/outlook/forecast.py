"""Adds the forecast of the best model to a spot's outlook."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from quartet.wind.gear.rig import WindRange
from quartet.wind.gear.types import GearItem
from quartet.wind.outlook.daylight import is_light
from quartet.wind.outlook.hours import ForecastHours, hours_at
from quartet.wind.outlook.types import SpotOutlook, Strip
from quartet.wind.outlook.windows import Flags, from_sectors, rideable_hours, windows_of

if TYPE_CHECKING:
    from quartet.wind.grid.forecast import Forecast

_HOUR = 3600
_REACH_SECONDS = 5 * 24 * _HOUR
_STRIP_SECONDS = 48 * _HOUR


def with_forecast(
    outlook: SpotOutlook,
    runs: "Sequence[Forecast]",
    ranges: Sequence[WindRange],
    items: Sequence[GearItem],
    now: int,
) -> SpotOutlook | None:
    """Return None if no run covers the spot."""
    spot = outlook.favorite
    hours = hours_at(spot.lat, spot.lon, runs, now, now + _REACH_SECONDS)
    if hours is None:
        return None
    light = is_light((hours.start + hours.end) // 2, spot.lat, spot.lon)
    good = light & rideable_hours(hours, ranges) & from_sectors(hours, spot.directions)
    return msgspec.structs.replace(
        outlook,
        windows=windows_of(hours, good, items),
        model=hours.runs[0].model,
        run=hours.runs[0].run,
        hours=_strip(hours, light, good, now + _STRIP_SECONDS),
        notice=None,
    )


def _strip(hours: ForecastHours, light: Flags, good: Flags, until: int) -> Strip:
    near = hours.start < until
    gusts = np.round(hours.gust[near], 1).tolist()
    return Strip(
        hours.start[near].tolist(),
        np.round(hours.wind[near], 1).tolist(),
        # NaN is not equal to itself.
        [each if each == each else None for each in gusts],
        hours.direction[near].astype(np.int64).tolist(),
        light[near].tolist(),
        good[near].tolist(),
    )
