"""A slow second implementation of alerts for comparison: sets of hours, no shared code.

It follows the documented rule: a window is announced once, remains the same within three hours,
and counts as gone after it was missing from three runs and for a day, or when it was withdrawn.
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
HourList = list[int]
# Returns knots, gust and direction at a time.
Forecast = Callable[[int], tuple[float, float, int]]


@dataclass
class AnnouncedWindow:
    """A window announced at `at`; `uncertain` if it may or may not have been sent."""

    began: int
    turn: int
    at: float
    sent: dict[str, float] = field(default_factory=dict)
    uncertain: bool = False


@dataclass
class TrackedWindow:
    hours: HourList
    announced: AnnouncedWindow
    absent: list[int] = field(default_factory=list)


@dataclass
class Oracle:
    """The expected behaviour of one alert."""

    settings: AlarmChange
    zone: str
    tracked: list[TrackedWindow] = field(default_factory=list)
    announced: list[AnnouncedWindow] = field(default_factory=list)
    # The id and turn of windows that were announced and then withdrawn.
    withdrawn: list[tuple[int, int]] = field(default_factory=list)

    def run(
        self, run: int, last: int, now: float, forecast: Forecast, sent: set[tuple[int, int]]
    ) -> None:
        """Evaluate a run that covers the hours until `last`; `sent` are the id and turn of windows
        whose announcement has arrived.
        """
        first = int(-(-now // HOUR))
        end = min(last // HOUR, int(-(-(now + self.settings.lead_hours * HOUR) // HOUR)) - 1)
        visible = set(range(first, end + 1))
        windows = self._windows([hour for hour in sorted(visible) if self._is_good(hour, forecast)])
        before = list(self.tracked)
        for window in windows:
            near = [each for each in before if _distance(each.hours, window) <= NEAR]
            alive = [each for each in near if not _is_gone(each, run)]
            if not near:
                names = {each.announced.began for each in before}
                began = next(name for name in count(window[0] * HOUR) if name not in names)
                announced = AnnouncedWindow(began, 1, now)
                self.announced.append(announced)
                self.tracked.append(TrackedWindow(window, announced))
            elif not alive:
                earliest = min(near, key=lambda each: each.announced.began)
                again = AnnouncedWindow(earliest.announced.began, earliest.announced.turn + 1, now)
                self.announced.append(again)
                earliest.announced = again
        for each in before:
            self._follow(each, windows, visible, run, sent)

    def tick(self, now: float, up: dict[str, bool]) -> None:
        """Send everything that can be sent."""
        quiet = self._is_quiet(now)
        for each in self.tracked:
            begun = now >= each.hours[0] * HOUR
            for channel in ("push", "email"):
                if channel in each.announced.sent:
                    continue
                if quiet and not begun:
                    continue
                if begun:
                    # The window has begun; whether it was still sent depends on quiet hours, so it
                    # is not checked.
                    each.announced.uncertain = True
                elif up[channel] and not each.absent:
                    each.announced.sent[channel] = now

    def _follow(
        self,
        tracked: TrackedWindow,
        windows: list[HourList],
        visible: set[int],
        run: int,
        sent: set[tuple[int, int]],
    ) -> None:
        same = [window for window in windows if _distance(tracked.hours, window) <= NEAR]
        if same:
            shown = range(same[0][0], same[-1][-1] + 1)
            # Hours outside the visible range are kept if the visible part touches them.
            hidden = [
                hour
                for hour in tracked.hours
                if (hour < min(visible) and shown[0] == min(visible))
                or (hour > max(visible) and shown[-1] == max(visible))
            ]
            tracked.hours = sorted({*shown, *hidden})
            tracked.absent = []
        elif (
            len(set(tracked.hours) & visible) >= self.settings.min_hours and len(tracked.absent) < 3
        ):
            tracked.absent.append(run)
            name = (tracked.announced.began, tracked.announced.turn)
            soon = tracked.hours[0] - min(visible) <= 24
            needed = 3 if tracked.announced.turn > 1 else 1 if soon else 2
            if name in sent and len(tracked.absent) >= needed:
                self.withdrawn.append(name)
                tracked.absent = [0, 0, 0]

    def _windows(self, good: HourList) -> list[HourList]:
        rows: list[HourList] = []
        for hour in good:
            if rows and rows[-1][-1] == hour - 1:
                rows[-1].append(hour)
            else:
                rows.append([hour])
        windows: list[HourList] = []
        for row in (row for row in rows if len(row) >= self.settings.min_hours):
            if windows and row[0] - windows[-1][-1] - 1 <= NEAR:
                windows[-1] += row
            else:
                windows.append(row)
        return [list(range(window[0], window[-1] + 1)) for window in windows]

    def _is_good(self, hour: int, forecast: Forecast) -> bool:
        settings, local = self.settings, self._local(hour * HOUR)
        wind, gust, direction = forecast(hour * HOUR)
        return (
            settings.wind_min <= wind <= (settings.wind_max or 999)
            and gust <= (settings.gust_max or 999)
            and local.isoweekday() in settings.weekdays
            and _between(local.hour, settings.hours.start, settings.hours.end)
            and (
                not settings.directions
                or any(
                    (direction - sector.start) % 360 <= (sector.end - sector.start) % 360
                    for sector in settings.directions
                )
            )
        )

    def _is_quiet(self, now: float) -> bool:
        quiet = self.settings.quiet
        return quiet is not None and _between(self._local(now).hour, quiet.start, quiet.end)

    def _local(self, time: float) -> datetime:
        return datetime.fromtimestamp(time, UTC).astimezone(ZoneInfo(self.zone))


def _between(hour: int, start: int, end: int) -> bool:
    return hour in {each % 24 for each in range(start, end if start < end else end + 24)}


def _distance(one: HourList, other: HourList) -> int:
    """Return the number of hours between two windows."""
    return max(one[0] - other[-1], other[0] - one[-1]) - 1


def _is_gone(tracked: TrackedWindow, run: int) -> bool:
    return len(tracked.absent) >= 3 and run - tracked.absent[0] >= 24 * HOUR
