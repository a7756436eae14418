"""Local hours of the day and week at a spot, across daylight saving changes."""

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
        # The spot may have been created with a newer time zone database.
        return ZoneInfo("UTC")


@lru_cache(maxsize=1024)
def hours_of_week(zone: str, first: int, count: int) -> list[int]:
    """Return the hour of the week for each hour; 0 is Monday from 0:00."""
    local = zone_of(zone)
    moments = (datetime.fromtimestamp(first + HOUR * hour, local) for hour in range(count))
    return [moment.weekday() * 24 + moment.hour for moment in moments]


def quiet_until(now: float, start: int, end: int, zone: str) -> int | None:
    """Return when the current quiet hours end, or None outside of quiet hours."""
    local = datetime.fromtimestamp(now, zone_of(zone))
    end %= 24
    inside = start <= local.hour < end if start < end else local.hour >= start or local.hour < end
    if not inside:
        return None
    return next_time_at(end, zone, now)


def next_time_at(hour: int, zone: str, after: float) -> int:
    """Return when it is next this hour of the day in a time zone."""
    local = datetime.fromtimestamp(after, zone_of(zone))
    return next(moment for moment in map(_at(local, hour), range(3)) if moment > after)


def _at(local: datetime, hour: int) -> Callable[[int], int]:
    def moment(days: int) -> int:
        day = local.date() + timedelta(days=days)
        # For a skipped local hour this is the time of the change, for a repeated one its first
        # pass.
        return int(datetime.combine(day, time(hour), local.tzinfo).timestamp())

    return moment
