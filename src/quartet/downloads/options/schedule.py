"""Applies the schedule of speed limits and pauses."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from quartet.downloads.options.types import Options, Window

_MINUTES = 24 * 60


def limit_at(options: Options, now: datetime) -> int:
    """Return the limit in KiB/s; 0 means unlimited."""
    window = window_at(options, now)
    return options.speed_limit_kib if window is None or window.pause else window.limit_kib


def is_paused(options: Options, now: datetime) -> bool:
    window = window_at(options, now)
    return window is not None and window.pause


def paused_until(options: Options, now: datetime) -> int | None:
    """Return the end of the current pause in Unix milliseconds.

    Windows that follow each other are one pause. None without a pause, or if it never ends.
    """
    end = now.replace(microsecond=0)
    last = end + timedelta(days=8)
    while is_paused(options, end) and end < last:
        end += timedelta(seconds=seconds_to_change(options.schedule, end) or 0.0)
    return int(end.timestamp() * 1000) if now < end < last else None


def window_at(options: Options, now: datetime) -> Window | None:
    return next((each for each in options.schedule if _covers(each, now)), None)


def seconds_to_change(schedule: Sequence[Window], now: datetime) -> float | None:
    """Return the seconds until the next window starts or ends, or None without a schedule."""
    marks = {_minutes(text) for window in schedule for text in (window.start, window.end)}
    if not marks:
        return None
    minute = now.hour * 60 + now.minute
    waits = ((mark - minute - 1) % _MINUTES + 1 for mark in marks)
    return min(waits) * 60.0 - now.second


def _covers(window: Window, now: datetime) -> bool:
    start, end = _minutes(window.start), _minutes(window.end)
    minute = now.hour * 60 + now.minute
    if start < end:
        return start <= minute < end and _on_day(window, now)
    if minute >= start:
        return _on_day(window, now)
    return minute < end and _on_day(window, now - timedelta(days=1))


def _on_day(window: Window, day: datetime) -> bool:
    return not window.days or day.isoweekday() in window.days


def _minutes(text: str) -> int:
    hours, minutes = text.split(":")
    return int(hours) * 60 + int(minutes)
