"""Groups that METAR and TAF have in common: wind, and times without a month."""

import re
from datetime import UTC, datetime, timedelta

from quartet.wind.observations.types import WindReading

_WIND = re.compile(
    r"(?P<from>\d{3}|VRB)(?P<speed>P?\d{2,3})(?:G(?P<gust>P?\d{2,3}|//))?(?P<unit>KT|MPS|KMH)", re.A
)
_KNOTS = {"KT": 1.0, "MPS": 3600 / 1852, "KMH": 1000 / 1852}
_FASTEST = 200.0


def parse_wind(group: str) -> WindReading | None:
    """Parse a wind group; None if it is not one, or is missing or implausible."""
    match = _WIND.fullmatch(group)
    if match is None:
        return None
    factor = _KNOTS[match["unit"]]
    wind = round(_number(match["speed"]) * factor, 1)
    gust = None
    if match["gust"] and match["gust"] != "//":
        gust = round(_number(match["gust"]) * factor, 1)
    variable = match["from"] == "VRB"
    return plausible(wind, gust, None if variable else int(match["from"]), variable)


def plausible(
    wind: float, gust: float | None, direction: int | None, variable: bool = False
) -> WindReading | None:
    """Normalise: drop gusts below the mean, calm has no direction, north is 0.

    Return None for implausible values.
    """
    if not 0 <= wind <= _FASTEST or (direction is not None and not 0 <= direction <= 360):
        return None
    if gust is not None and not wind <= gust <= _FASTEST:
        gust = None
    if wind == 0:
        return WindReading(0.0, gust, None, False)
    return WindReading(wind, gust, None if direction is None else direction % 360, variable)


def _number(text: str) -> int:
    """P99 means 99 or more."""
    return int(text.removeprefix("P"))


def named_time(digits: str, near: int) -> int | None:
    """Parse day, hour and optional minute, such as 152354."""
    day, hour, minute = int(digits[:2]), int(digits[2:4]), int(digits[4:] or 0)
    return time_near(day, hour, minute, near)


def time_near(day: int, hour: int, minute: int, near: int) -> int | None:
    """Return the Unix time of a day of the month, in the month closest to `near`.

    Hour 24 is the end of the day.
    """
    if hour > 24 or minute > 59 or (hour == 24 and minute):
        return None
    middle = datetime.fromtimestamp(near, UTC)
    found = []
    for month in (middle.replace(day=1) - timedelta(days=1), middle, _next_month(middle)):
        try:
            date = datetime(month.year, month.month, day, tzinfo=UTC)
        except ValueError:
            continue
        found.append(int(date.timestamp()) + hour * 3600 + minute * 60)
    return min(found, key=lambda time: abs(time - near), default=None)


def _next_month(time: datetime) -> datetime:
    return time.replace(day=28) + timedelta(days=4)
