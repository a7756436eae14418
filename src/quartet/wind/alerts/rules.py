"""Evaluates the rules of many alerts at once."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quartet.wind.alerts.hourly import Hourly
from quartet.wind.alerts.local_time import hours_of_week
from quartet.wind.alerts.types import Rule, WeatherCondition
from quartet.wind.grid.arrays import Floats

Bools = NDArray[np.bool_]

_WEEKDAYS, _HOURS, _DEGREES = 7, 24, 360


class Rules:
    """The rules of several alerts as columns."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self.min_hours = np.array([rule.min_hours for rule in rules], np.int64)
        self.lead_hours = np.array([rule.lead_hours for rule in rules], np.int64)

    @cached_property
    def need_weather(self) -> bool:
        """Whether any rule has a condition on rain or temperature."""
        return any(
            rule.rain_max is not None or rule.temperature_min is not None for rule in self._rules
        )

    @cached_property
    def need_chance(self) -> bool:
        return any(rule.chance_min is not None for rule in self._rules)

    @property
    def least_wind(self) -> NDArray[np.float64]:
        return np.array([rule.wind_min for rule in self._rules])

    @cached_property
    def need_waves(self) -> bool:
        return any(rule.wave_max is not None for rule in self._rules)

    def unchecked(self, weather: Hourly) -> list[WeatherCondition]:
        """Return the conditions that no hour can be compared with."""
        found: list[WeatherCondition] = []
        if self._lacks("rain_max", weather.rain):
            found.append("rain")
        if self._lacks("temperature_min", weather.temperature):
            found.append("temperature")
        if self._lacks("wave_max", weather.waves):
            found.append("waves")
        return found

    def _lacks(self, condition: str, values: Floats | None) -> bool:
        wanted = any(getattr(rule, condition) is not None for rule in self._rules)
        return wanted and (values is None or bool(np.isnan(values).all()))

    def good_hours(self, weather: Hourly, now: float) -> Bools:
        """Return which hours meet the rule: one row per alert, one column per hour."""
        good_hours = self._windy(weather)
        if self.need_weather or self.need_waves:
            good_hours &= self._fair(weather)
        good_hours &= self._directions[np.arange(len(good_hours))[:, None], weather.degrees]
        good_hours &= self._in_time(weather.first, good_hours.shape[1])
        ahead = weather.first + 3600 * np.arange(good_hours.shape[1]) - now
        good_hours &= ahead < 3600 * self.lead_hours[:, None]
        return good_hours

    def _windy(self, weather: Hourly) -> Bools:
        lowest = np.array([rule.wind_min for rule in self._rules])
        good_hours: Bools = weather.wind >= _tenths(lowest)[:, None]
        if weather.chance is not None:
            least = np.array([rule.chance_min or 0 for rule in self._rules])[:, None]
            known = (least > 0) & ~np.isnan(weather.chance)
            good_hours = np.where(known, np.rint(weather.chance) >= least, good_hours)
        good_hours &= weather.wind <= _tenths(self._limits("wind_max"))[:, None]
        # A missing gust forecast does not exclude the hour.
        good_hours &= ~(weather.gust > _tenths(self._limits("gust_max"))[:, None])
        return good_hours

    def _fair(self, weather: Hourly) -> Bools:
        """Return which hours meet the conditions on rain, temperature and waves.

        Like a missing gust, a missing value does not exclude the hour: an alert on a model without
        the field would never fire.
        """
        fair = np.ones(weather.wind.shape, bool)
        if weather.rain is not None:
            fair &= ~(weather.rain > _tenths(self._limits("rain_max"))[:, None])
        if weather.temperature is not None:
            lowest = [rule.temperature_min for rule in self._rules]
            least = np.array([-np.inf if each is None else each for each in lowest])
            fair &= ~(weather.temperature < least[:, None])
        if weather.waves is not None:
            fair &= ~(weather.waves > _tenths(self._limits("wave_max"))[:, None])
        return fair

    def _limits(self, name: str) -> NDArray[np.float64]:
        limits = (getattr(rule, name) for rule in self._rules)
        return np.array([np.inf if limit is None else limit for limit in limits])

    @cached_property
    def _directions(self) -> Bools:
        """One column per degree, plus one for "no direction"."""
        wanted = np.ones((len(self._rules), _DEGREES + 1), bool)
        for row, rule in zip(wanted, self._rules, strict=True):
            if rule.sectors:
                row[:] = False
                for first, last in rule.sectors:
                    _open(row[:_DEGREES], first, last)
        return wanted

    def _in_time(self, first: int, count: int) -> Bools:
        """Return which hours are allowed by the local time of each alert."""
        wanted = self._week
        rows = np.empty((len(self._rules), count), bool)
        zones = np.array([rule.timezone for rule in self._rules])
        for zone in np.unique(zones):
            same = np.flatnonzero(zones == zone)
            rows[same] = wanted[same][:, hours_of_week(str(zone), first, count)]
        return rows

    @cached_property
    def _week(self) -> Bools:
        """One column per hour of the week, from Monday 0:00."""
        start = np.array([[rule.hour_from] for rule in self._rules])
        end = np.array([[rule.hour_to] for rule in self._rules])
        hour = np.arange(_HOURS)
        after, before = hour >= start, hour < end
        hours = np.where(start < end, after & before, after | before)
        bits = np.array([[rule.weekdays] for rule in self._rules]) >> np.arange(_WEEKDAYS) & 1
        week = hours[:, None, :] & bits.astype(bool)[:, :, None]
        return np.asarray(week.reshape(-1, _WEEKDAYS * _HOURS))


def _open(row: Bools, first: int, last: int) -> None:
    """Set the sector clockwise from `first` to `last`, both included; 0 to 360 is everything."""
    if last - first == _DEGREES:
        row[:] = True
    elif first % _DEGREES <= last % _DEGREES:
        row[first % _DEGREES : last % _DEGREES + 1] = True
    else:
        row[first % _DEGREES :] = True
        row[: last % _DEGREES + 1] = True


def _tenths(limits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round like displayed forecasts: an alert for 15.0 must match a displayed 15.0."""
    return np.rint(limits * 10)
