"""Rejects alerts that contradict themselves or can never fire."""

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from quartet.kernel.errors import AppError
from quartet.wind.alerts.types import AlarmChange, HourSpan

_DAY, _WEEK = 24, 7 * 24


def check(change: AlarmChange) -> None:
    """Check rules that concern several fields."""
    if change.wind_max is not None and change.wind_max < change.wind_min:
        raise AppError(400, "invalid_alarm", field="windMax")
    if change.gust_max is not None and change.gust_max < change.wind_min:
        raise AppError(400, "invalid_alarm", field="gustMax")
    if change.quiet is not None and change.quiet.start == change.quiet.end % _DAY:
        # Quiet hours around the clock would suppress every message.
        raise AppError(400, "invalid_alarm", field="quiet")
    _check_duration(change)


def check_timezone(name: str) -> None:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise AppError(400, "invalid_timezone") from None


def _check_duration(change: AlarmChange) -> None:
    """Reject an alert whose hours, days or advance notice leave no room for a window."""
    least = change.min_hours
    longest = _longest_stretch(change.hours, set(change.weekdays))
    if longest < least:
        raise AppError(400, "alarm_hours_too_short", longest=longest, least=least)
    if change.lead_hours < least:
        raise AppError(400, "alarm_lead_too_short", lead=change.lead_hours, least=least)
    if change.quiet is not None and _only_found_in_quiet_hours(change, change.quiet):
        raise AppError(400, "alarm_always_quiet", start=change.quiet.start, end=change.quiet.end)


def _longest_stretch(hours: HourSpan, weekdays: set[int]) -> int:
    """Return the greatest number of consecutive hours of a week that an alert considers."""
    wanted = [
        hour // _DAY + 1 in weekdays and _contains(hours, hour % _DAY) for hour in range(_WEEK)
    ]
    if all(wanted):
        return _WEEK
    longest = current = 0
    # Twice, because a stretch may continue from Sunday to Monday.
    for each in wanted * 2:
        current = current + 1 if each else 0
        longest = max(longest, current)
    return longest


def _only_found_in_quiet_hours(change: AlarmChange, quiet: HourSpan) -> bool:
    """Return whether every message would wait for the end of quiet hours until it is too late.

    A window is found up to `lead_hours` before it begins. A window that lasts beyond the quiet
    hours is still announced.
    """
    hours = [hour for hour in range(_DAY) if _contains(change.hours, hour)]
    found_at = {(hour - ahead) % _DAY for hour in hours for ahead in range(change.lead_hours + 1)}
    return all(_contains(quiet, hour) for hour in found_at)


def _contains(span: HourSpan, hour: int) -> bool:
    """Return whether an hour of the day is in the span; equal hours mean all day."""
    if span.start < span.end:
        return span.start <= hour < span.end
    return hour >= span.start or hour < span.end
