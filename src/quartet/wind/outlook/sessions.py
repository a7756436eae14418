"""The next ten days at a spot, one by one, judged by the same windows as everywhere else."""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from zoneinfo import ZoneInfo

import msgspec
import numpy as np

from quartet.wind.gear.rig import what_to_rig
from quartet.wind.gear.types import GearItem
from quartet.wind.grid.forecast import Forecast
from quartet.wind.grid.layout import NO_DATA, SCALE
from quartet.wind.grid.waves import waves_at
from quartet.wind.outlook.hours import ForecastHours, Numbers, Times
from quartet.wind.outlook.types import GoodWindow, SessionDay
from quartet.wind.outlook.windows import Flags, from_sectors
from quartet.wind.spots.types import Favorite

_HOUR = 3600


def days_of(
    hours: ForecastHours,
    light: Flags,
    good: Flags,
    windows: Sequence[GoodWindow],
    spot: Favorite,
    items: Sequence[GearItem],
) -> list[SessionDay]:
    """Return the days with any daylight left, in their order."""
    zone = ZoneInfo(spot.timezone)
    fits = from_sectors(hours, spot.directions)

    def date(number: int) -> datetime:
        local = datetime.fromtimestamp(int(hours.start[number]), UTC).astimezone(zone)
        return local.replace(hour=0, minute=0, second=0, microsecond=0)

    shown = [number for number in range(hours.steps) if light[number] or good[number]]
    return [
        _day(int(day.timestamp()), list(numbers), hours, (good, fits), windows, items)
        for day, numbers in groupby(shown, date)
    ]


def _day(
    start: int,
    numbers: list[int],
    hours: ForecastHours,
    flags: tuple[Flags, Flags],
    windows: Sequence[GoodWindow],
    items: Sequence[GearItem],
) -> SessionDay:
    good, fits = flags
    wind, gust = hours.wind[numbers], hours.gust[numbers]
    begin, end = int(hours.start[numbers[0]]), int(hours.end[numbers[-1]])
    here = [each for each in windows if each.start < end and each.end > begin]
    gusts = [each if each == each else None for each in np.round(gust, 1).tolist()]
    known = [each for each in gusts if each is not None]
    mean_gust = sum(known) / len(known) if known else None
    return SessionDay(
        start,
        hours.start[numbers].tolist(),
        np.round(wind, 1).tolist(),
        gusts,
        hours.direction[numbers].astype(np.int64).tolist(),
        good[numbers].tolist(),
        fits[numbers].tolist(),
        _expected(hours, [number for number in numbers if good[number]]),
        _expected(hours, [number for number in numbers if fits[number]], unknown=0.0),
        here[0].rig if here else what_to_rig(items, float(wind.mean()), mean_gust),
    )


def _expected(hours: ForecastHours, some: list[int], unknown: float = 1.0) -> float:
    """Return how many hours with the wanted wind are to be expected."""
    lengths = (hours.end - hours.start)[some] / _HOUR
    chances = unknown if hours.chance is None else hours.chance[some]
    return round(float((lengths * chances).sum()), 1)


def with_waves(
    days: Sequence[SessionDay], spot: Favorite, forecasts: Sequence[Forecast]
) -> list[SessionDay]:
    """Add the highest waves of each day, of the first model that has a point at sea."""
    for forecast in forecasts:
        found = waves_at(forecast, spot.lat, spot.lon)
        if found is not None:
            heights = found.rows[0].astype(np.float64) * SCALE
            heights[found.rows[0] == NO_DATA] = np.nan
            times = np.array(forecast.times, np.int64)
            return [_with_wave(day, times, heights) for day in days]
    return list(days)


def _with_wave(
    day: SessionDay,
    times: Times,
    heights: Numbers,
) -> SessionDay:
    near = (times >= day.times[0] - _HOUR) & (times <= day.times[-1] + 2 * _HOUR)
    known = heights[near & ~np.isnan(heights)]
    if not len(known):
        return day
    return msgspec.structs.replace(day, wave_max=round(float(known.max()), 1))
