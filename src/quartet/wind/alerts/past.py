"""The wind of the last weeks at a station, as an alarm looks at it."""

from collections.abc import Iterable, Sequence

import numpy as np

from quartet.wind.alerts.hourly import Hourly
from quartet.wind.alerts.local_time import HOUR
from quartet.wind.alerts.rules import Rules
from quartet.wind.alerts.types import Rule, Window
from quartet.wind.alerts.windows import windows_of
from quartet.wind.grid.arrays import Doubles
from quartet.wind.observations.types import Measurement
from quartet.wind.ranking.hours import unpacked

# Of each run only what the next one does not know better.
_RUN_HOURS = 12
_NOWHERE = 360


def measured(rows: Sequence[Measurement], since: int, until: int) -> Hourly:
    """The measurement next to each full hour."""
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


def forecast(kept: Iterable[tuple[int, bytes]], since: int, until: int) -> Hourly:
    """Gusts are not kept."""
    first, table = _empty(since, until)
    for run, packed in kept:
        told = unpacked(packed)
        begin = (run - first) // HOUR
        for lead in range(_RUN_HOURS):
            if 0 <= begin + lead < table.shape[1]:
                table[0, begin + lead] = told.wind[lead]
                table[2, begin + lead] = told.direction[lead]
    return _hourly(first, table)


def looked_back(rule: Rule, weather: Hourly) -> tuple[int, list[Window]]:
    """How many hours are known, and the windows in them."""
    everything = rule._replace(lead_hours=weather.wind.shape[1] + 1)
    windows = windows_of(Rules([everything]), weather, weather.first)
    known = int(np.count_nonzero(~np.isnan(weather.wind)))
    return known, [window for _, window in windows]


def _empty(since: int, until: int) -> tuple[int, Doubles]:
    """Rows wind, gust and direction."""
    first = -(-since // HOUR) * HOUR
    return first, np.full((3, max((until - first) // HOUR, 0)), np.nan)


def _hourly(first: int, table: Doubles) -> Hourly:
    wind, gust, direction = table.astype(np.float32)[:, None, :]
    turned = np.radians(np.nan_to_num(direction))
    # Without a direction it counts for none, but the wind counts.
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
