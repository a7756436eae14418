"""Hours of the day and of the week where a spot lies, also when the clocks change."""

from collections.abc import Callable
from datetime import datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

HOUR = 3600


@lru_cache(maxsize=512)
def zone_of(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        # A newer list of zones may have made the spot.
        return ZoneInfo("UTC")


@lru_cache(maxsize=1024)
def hours_of_week(zone: str, first: int, count: int) -> list[int]:
    """0 is the hour after midnight of Monday."""
    local = zone_of(zone)
    moments = (datetime.fromtimestamp(first + HOUR * hour, local) for hour in range(count))
    return [moment.weekday() * 24 + moment.hour for moment in moments]


def quiet_until(now: float, start: int, end: int, zone: str) -> int | None:
    """When the quiet hours end that `now` lies in; nothing while it is not quiet."""
    local = datetime.fromtimestamp(now, zone_of(zone))
    end %= 24
    inside = start <= local.hour < end if start < end else local.hour >= start or local.hour < end
    if not inside:
        return None
    return next(moment for moment in map(_at(local, end), range(3)) if moment > now)


def _at(local: datetime, hour: int) -> Callable[[int], int]:
    def moment(days: int) -> int:
        day = local.date() + timedelta(days=days)
        # An hour the clocks leave out ends when they do; of two the first one counts.
        return int(datetime.combine(day, time(hour), local.tzinfo).timestamp())

    return moment
