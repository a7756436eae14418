"""Adds the forecast to a spot's outlook."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from quartet.wind.blend.answers import BlendInputs
from quartet.wind.gear.rig import WindRange
from quartet.wind.gear.types import GearItem
from quartet.wind.outlook.daylight import is_light
from quartet.wind.outlook.hours import ForecastHours, best_hours, hours_at
from quartet.wind.outlook.sessions import days_of
from quartet.wind.outlook.types import SpotOutlook, Strip
from quartet.wind.outlook.windows import Flags, from_sectors, rideable_hours, windows_of
from quartet.wind.places.coordinates import Coordinates

if TYPE_CHECKING:
    from quartet.wind.grid.forecast import Forecast

_HOUR = 3600
_REACH_SECONDS = 10 * 24 * _HOUR
_STRIP_SECONDS = 48 * _HOUR


class GoodHourRules(NamedTuple):
    """What makes an hour good: the windows of the alert, else wind, daylight and sectors."""

    ranges: Sequence[WindRange]
    items: Sequence[GearItem]
    alert: Sequence[tuple[int, int]] | None = None
    # Knots whose probability is shown.
    least: float = 0.0


def with_forecast(
    outlook: SpotOutlook, runs: "Sequence[Forecast]", rules: GoodHourRules, now: int
) -> SpotOutlook | None:
    """Return None if no run covers the spot."""
    spot = outlook.favorite
    hours = hours_at(spot.lat, spot.lon, runs, now, now + _REACH_SECONDS)
    return None if hours is None else _with_hours(outlook, hours, rules, now)


def with_best(
    outlook: SpotOutlook, inputs: BlendInputs, rules: GoodHourRules, now: int
) -> SpotOutlook | None:
    """Return the outlook by Best, or None if no current run covers the spot."""
    spot = Coordinates(outlook.favorite.lat, outlook.favorite.lon)
    hours = best_hours(spot, inputs, now, now + _REACH_SECONDS, rules.least)
    return None if hours is None else _with_hours(outlook, hours, rules, now)


def _with_hours(
    outlook: SpotOutlook, hours: ForecastHours, rules: GoodHourRules, now: int
) -> SpotOutlook:
    spot = outlook.favorite
    light = is_light((hours.start + hours.end) // 2, spot.lat, spot.lon)
    if rules.alert is None:
        good = light & rideable_hours(hours, rules.ranges) & from_sectors(hours, spot.directions)
        windows = windows_of(hours, good, rules.items)
    else:
        # An alert has its own hours, directions and conditions.
        good = _within(hours, rules.alert)
        windows = [
            window
            for start, end in rules.alert
            for window in windows_of(hours, _within(hours, [(start, end)]), rules.items, shortest=0)
        ]
    return msgspec.structs.replace(
        outlook,
        windows=windows,
        model=hours.runs[0].model,
        run=hours.runs[0].run,
        hours=_strip(hours, light, good, now + _STRIP_SECONDS),
        days=days_of(hours, light, good, windows, spot, rules.items),
        notice=None,
    )


def _within(hours: ForecastHours, windows: Sequence[tuple[int, int]]) -> Flags:
    inside = np.zeros(hours.steps, np.bool_)
    for start, end in windows:
        inside |= (hours.start < end) & (hours.end > start)
    return inside


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
