"""Computes a device's current speed limits from its schedule; pure functions."""

import time
from typing import NamedTuple

from quartet.sync.config.types.traffic import Pace, Traffic, Window


class WeekMoment(NamedTuple):
    weekday: int
    # "HH:MM"; sorts chronologically.
    clock: str


def current_moment() -> WeekMoment:
    now = time.localtime()
    return WeekMoment(now.tm_wday, f"{now.tm_hour:02}:{now.tm_min:02}")


def pace_at(traffic: Traffic, now: WeekMoment) -> Pace:
    found: Pace = next((each for each in traffic.schedule if _fits(each, now)), traffic)
    return Pace(found.paused, found.upload_kib, found.download_kib)


def _fits(window: Window, now: WeekMoment) -> bool:
    if window.begin < window.end:
        return now.weekday in window.days and window.begin <= now.clock < window.end
    late = now.weekday in window.days and now.clock >= window.begin
    early = (now.weekday - 1) % 7 in window.days and now.clock < window.end
    return late or early
