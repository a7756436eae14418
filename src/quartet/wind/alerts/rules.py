"""What an alarm wants, for many alarms at once."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quartet.wind.alerts.hourly import Hourly
from quartet.wind.alerts.local_time import hours_of_week
from quartet.wind.alerts.types import Rule

Bools = NDArray[np.bool_]

_WEEKDAYS, _HOURS, _DEGREES = 7, 24, 360


class Rules:
    """The same as columns."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self.min_hours = np.array([rule.min_hours for rule in rules], np.int64)
        self.lead_hours = np.array([rule.lead_hours for rule in rules], np.int64)

    def good(self, weather: Hourly, now: float) -> Bools:
        """Which hours are as wanted: a row for each alarm, a column for each hour."""
        good = self._windy(weather)
        good &= self._directions[np.arange(len(good))[:, None], weather.degrees]
        good &= self._in_time(weather.first, good.shape[1])
        ahead = weather.first + 3600 * np.arange(good.shape[1]) - now
        good &= ahead < 3600 * self.lead_hours[:, None]
        return good

    def _windy(self, weather: Hourly) -> Bools:
        lowest = np.array([rule.wind_min for rule in self._rules])
        good: Bools = weather.wind >= _tenths(lowest)[:, None]
        good &= weather.wind <= _tenths(self._limits("wind_max"))[:, None]
        # A gust nobody has forecast forbids nothing.
        good &= ~(weather.gust > _tenths(self._limits("gust_max"))[:, None])
        return good

    def _limits(self, name: str) -> NDArray[np.float64]:
        limits = (getattr(rule, name) for rule in self._rules)
        return np.array([np.inf if limit is None else limit for limit in limits])

    @cached_property
    def _directions(self) -> Bools:
        """A column for each degree, and one for no direction."""
        wanted = np.ones((len(self._rules), _DEGREES + 1), bool)
        for row, rule in zip(wanted, self._rules, strict=True):
            if rule.sectors:
                row[:] = False
                for first, last in rule.sectors:
                    _open(row[:_DEGREES], first, last)
        return wanted

    def _in_time(self, first: int, count: int) -> Bools:
        """By the local time of each alarm's place."""
        wanted = self._week
        rows = np.empty((len(self._rules), count), bool)
        zones = np.array([rule.timezone for rule in self._rules])
        for zone in np.unique(zones):
            same = np.flatnonzero(zones == zone)
            rows[same] = wanted[same][:, hours_of_week(str(zone), first, count)]
        return rows

    @cached_property
    def _week(self) -> Bools:
        """A column for each hour of the week, from Monday at midnight on."""
        start = np.array([[rule.hour_from] for rule in self._rules])
        end = np.array([[rule.hour_to] for rule in self._rules])
        hour = np.arange(_HOURS)
        after, before = hour >= start, hour < end
        hours = np.where(start < end, after & before, after | before)
        bits = np.array([[rule.weekdays] for rule in self._rules]) >> np.arange(_WEEKDAYS) & 1
        week = hours[:, None, :] & bits.astype(bool)[:, :, None]
        return np.asarray(week.reshape(-1, _WEEKDAYS * _HOURS))


def _open(row: Bools, first: int, last: int) -> None:
    """From one degree clockwise to another, both included; 0 to 360 are all."""
    if last - first == _DEGREES:
        row[:] = True
    elif first % _DEGREES <= last % _DEGREES:
        row[first % _DEGREES : last % _DEGREES + 1] = True
    else:
        row[first % _DEGREES :] = True
        row[: last % _DEGREES + 1] = True


def _tenths(knots: NDArray[np.float64]) -> NDArray[np.float64]:
    """As exact as forecasts are shown, so that nobody sees 15.0 and hears nothing."""
    return np.rint(knots * 10)
