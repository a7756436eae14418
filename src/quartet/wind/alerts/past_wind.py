"""Past wind at a station in the form that alert rules evaluate."""

from collections.abc import Iterable, Sequence

import numpy as np

from quartet.wind.alerts.hourly import Hourly
from quartet.wind.alerts.local_time import HOUR
from quartet.wind.alerts.rules import Rules
from quartet.wind.alerts.types import AlertWindow, Rule
from quartet.wind.alerts.windows import windows_of
from quartet.wind.grid.arrays import Doubles
from quartet.wind.observations.types import Measurement
from quartet.wind.ranking.hours import unpack

# Keep only the hours not covered by a newer run.
_RUN_HOURS = 12
_NOWHERE = 360


def from_measurements(rows: Sequence[Measurement], since: int, until: int) -> Hourly:
    """Use the measurement closest to each full hour."""
    first, table = _empty(since, until)
    distance = np.full(table.shape[1], np.inf)
    for row in rows:
        hour = round((row.time - first) / HOUR)
        away = abs(first + hour * HOUR - row.time)
        if 0 <= hour < table.shape[1] and away < distance[hour]:
            distance[hour] = away
            numbers = (row.wind, row.gust, row.direction)
            table[:, hour] = [np.nan if number is None else number for number in numbers]
    return _hourly(first, table)


def from_forecasts(kept: Iterable[tuple[int, bytes]], since: int, until: int) -> Hourly:
    """Use the stored forecasts; they contain no gusts."""
    first, table = _empty(since, until)
    for run, packed in kept:
        hours = unpack(packed)
        begin = (run - first) // HOUR
        for lead in range(_RUN_HOURS):
            if 0 <= begin + lead < table.shape[1]:
                table[0, begin + lead] = hours.wind[lead]
                table[2, begin + lead] = hours.direction[lead]
    return _hourly(first, table)


def past_windows(rule: Rule, weather: Hourly) -> tuple[int, list[AlertWindow]]:
    """Return the number of hours with data, and the windows in them."""
    everything = rule._replace(lead_hours=weather.wind.shape[1] + 1)
    windows = windows_of(Rules([everything]), weather, weather.first)
    known = int(np.count_nonzero(~np.isnan(weather.wind)))
    return known, [window for _, window in windows]


def _empty(since: int, until: int) -> tuple[int, Doubles]:
    """Return an empty table with rows for wind, gust and direction."""
    first = -(-since // HOUR) * HOUR
    return first, np.full((3, max((until - first) // HOUR, 0)), np.nan)


def _hourly(first: int, table: Doubles) -> Hourly:
    wind, gust, direction = table.astype(np.float32)[:, None, :]
    turned = np.radians(np.nan_to_num(direction))
    # Without a direction the hour is left out of the mean direction, but its wind counts.
    arrow = np.where(np.isnan(direction), 0, -wind)
    degrees = np.where(np.isnan(direction), _NOWHERE, np.rint(direction) % 360)
    return Hourly(
        first,
        np.rint(wind * 10),
        np.rint(gust * 10),
        degrees.astype(np.int64),
        np.asarray(arrow * np.sin(turned), np.float32),
        np.asarray(arrow * np.cos(turned), np.float32),
    )
