"""A slow second opinion on alarms: whole sets of hours, and nothing shared with the product.

It follows the words of the rule: a window is told once, stays the same within three hours, and
counts as gone after three runs and a day without it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from zoneinfo import ZoneInfo

from quartet.wind.alerts.types import AlarmChange

HOUR = 3600
NEAR = 3
# Hours since 1970.
Hours = list[int]
# Knots, gust and direction of a time.
Forecast = Callable[[int], tuple[float, float, int]]


@dataclass
class Told:
    """A window that was told in a turn, at a time; `open_at` are the ticks it could be sent at."""

    began: int
    turn: int
    at: float
    sent: dict[str, float] = field(default_factory=dict)
    uncertain: bool = False


@dataclass
class Kept:
    hours: Hours
    told: Told
    absent: list[int] = field(default_factory=list)


@dataclass
class Oracle:
    """Of one alarm."""

    wish: AlarmChange
    zone: str
    kept: list[Kept] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)

    def run(self, run: int, last: int, now: float, forecast: Forecast) -> None:
        """A run that tells hours until `last`."""
        first = int(-(-now // HOUR))
        end = min(last // HOUR, int(-(-(now + self.wish.lead_hours * HOUR) // HOUR)) - 1)
        visible = set(range(first, end + 1))
        spells = self._spells([hour for hour in sorted(visible) if self._good(hour, forecast)])
        before = list(self.kept)
        for spell in spells:
            near = [each for each in before if _distance(each.hours, spell) <= NEAR]
            alive = [each for each in near if not _is_gone(each, run)]
            if not near:
                names = {each.told.began for each in before}
                began = next(name for name in count(spell[0] * HOUR) if name not in names)
                told = Told(began, 1, now)
                self.told.append(told)
                self.kept.append(Kept(spell, told))
            elif not alive:
                again = Told(near[0].told.began, near[0].told.turn + 1, now)
                self.told.append(again)
                near[0].told = again
        for each in before:
            self._follow(each, spells, visible, run)

    def tick(self, now: float, up: dict[str, bool]) -> None:
        """Everything that can be sent is sent."""
        quiet = self._is_quiet(now)
        for each in self.kept:
            begun = now >= each.hours[0] * HOUR
            for channel in ("push", "email"):
                if channel in each.told.sent:
                    continue
                if quiet and not begun:
                    continue
                if begun:
                    # Whether quiet hours held it or nothing got through: not asked here.
                    each.told.uncertain = True
                elif up[channel] and not each.absent:
                    each.told.sent[channel] = now

    def _follow(self, kept: Kept, spells: list[Hours], visible: set[int], run: int) -> None:
        same = [spell for spell in spells if _distance(kept.hours, spell) <= NEAR]
        if same:
            shown = range(same[0][0], same[-1][-1] + 1)
            # What lies outside of what can be seen stays as it was, where the rest touches it.
            hidden = [
                hour
                for hour in kept.hours
                if (hour < min(visible) and shown[0] == min(visible))
                or (hour > max(visible) and shown[-1] == max(visible))
            ]
            kept.hours = sorted({*shown, *hidden})
            kept.absent = []
        elif len(set(kept.hours) & visible) >= self.wish.min_hours and len(kept.absent) < 3:
            kept.absent.append(run)

    def _spells(self, good: Hours) -> list[Hours]:
        rows: list[Hours] = []
        for hour in good:
            if rows and rows[-1][-1] == hour - 1:
                rows[-1].append(hour)
            else:
                rows.append([hour])
        spells: list[Hours] = []
        for row in (row for row in rows if len(row) >= self.wish.min_hours):
            if spells and row[0] - spells[-1][-1] - 1 <= NEAR:
                spells[-1] += row
            else:
                spells.append(row)
        return [list(range(spell[0], spell[-1] + 1)) for spell in spells]

    def _good(self, hour: int, forecast: Forecast) -> bool:
        wish, local = self.wish, self._local(hour * HOUR)
        wind, gust, direction = forecast(hour * HOUR)
        return (
            wish.wind_min <= wind <= (wish.wind_max or 999)
            and gust <= (wish.gust_max or 999)
            and local.isoweekday() in wish.weekdays
            and _between(local.hour, wish.hours.start, wish.hours.end)
            and (
                not wish.directions
                or any(
                    (direction - sector.start) % 360 <= (sector.end - sector.start) % 360
                    for sector in wish.directions
                )
            )
        )

    def _is_quiet(self, now: float) -> bool:
        quiet = self.wish.quiet
        return quiet is not None and _between(self._local(now).hour, quiet.start, quiet.end)

    def _local(self, time: float) -> datetime:
        return datetime.fromtimestamp(time, UTC).astimezone(ZoneInfo(self.zone))


def _between(hour: int, start: int, end: int) -> bool:
    return hour in {each % 24 for each in range(start, end if start < end else end + 24)}


def _distance(one: Hours, other: Hours) -> int:
    """Hours that lie between two windows."""
    return max(one[0] - other[-1], other[0] - one[-1]) - 1


def _is_gone(kept: Kept, run: int) -> bool:
    return len(kept.absent) >= 3 and run - kept.absent[0] >= 24 * HOUR
