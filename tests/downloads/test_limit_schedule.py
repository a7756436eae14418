"""The schedule of speed limits."""

from datetime import UTC, datetime

import pytest

from quartet.downloads.options.schedule import (
    is_paused,
    limit_at,
    paused_until,
    seconds_to_change,
)
from quartet.downloads.options.types import Options, Window

NIGHT = Window(start="22:00", end="06:00", days=[5, 6], limit_kib=0)
OFFICE = Window(start="08:30", end="17:00", days=[1, 2, 3, 4, 5], limit_kib=500)
OPTIONS = Options(speed_limit_kib=2000, schedule=[NIGHT, OFFICE])


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def ms(text: str) -> int:
    return int(at(text).timestamp() * 1000)


# 2 January 2026 is a Friday.
@pytest.mark.parametrize(
    ("now", "limit"),
    [
        ("2026-01-02 08:29", 2000),
        ("2026-01-02 08:30", 500),
        ("2026-01-02 16:59", 500),
        ("2026-01-02 17:00", 2000),
        ("2026-01-02 22:00", 0),
        ("2026-01-03 05:59", 0),
        ("2026-01-03 06:00", 2000),
        ("2026-01-03 12:00", 2000),
        ("2026-01-04 05:59", 0),
        ("2026-01-04 22:00", 2000),
        ("2026-01-02 05:59", 2000),
    ],
)
def test_matching_window_sets_limit(now: str, limit: int) -> None:
    assert limit_at(OPTIONS, at(now)) == limit


def test_window_pauses_downloads() -> None:
    pause = Window(start="12:00", end="13:00", limit_kib=7, pause=True)
    options = Options(speed_limit_kib=2000, schedule=[pause, OFFICE])
    assert paused_until(options, at("2026-01-02 12:30:10")) == ms("2026-01-02 13:00")
    assert limit_at(options, at("2026-01-02 12:30")) == 2000
    assert not is_paused(options, at("2026-01-02 13:00"))
    assert paused_until(options, at("2026-01-02 13:00")) is None
    # The first window that covers the time applies.
    later = Options(schedule=[OFFICE, pause])
    assert not is_paused(later, at("2026-01-02 12:30"))


def test_windows_that_follow_each_other_are_one_pause() -> None:
    weekend = Window(start="00:00", end="00:00", days=[6, 7], pause=True)
    friday = Window(start="18:00", end="00:00", days=[5], pause=True)
    monday = Window(start="00:00", end="06:30", days=[1], pause=True)
    options = Options(schedule=[monday, weekend, friday])
    assert paused_until(options, at("2026-01-02 18:00")) == ms("2026-01-05 06:30")


def test_pause_at_all_times_has_no_end() -> None:
    options = Options(schedule=[Window(start="07:00", end="07:00", pause=True)])
    assert is_paused(options, at("2026-01-02 12:30"))
    assert paused_until(options, at("2026-01-02 12:30")) is None


def test_window_with_equal_start_and_end_is_the_whole_day() -> None:
    options = Options(schedule=[Window(start="07:00", end="07:00", limit_kib=9)])
    for hour in range(24):
        assert limit_at(options, at(f"2026-01-02 {hour:02}:00")) == 9


def test_seconds_to_next_change() -> None:
    assert seconds_to_change([], at("2026-01-02 00:00")) is None
    assert seconds_to_change([OFFICE], at("2026-01-02 08:29:30")) == 30
    assert seconds_to_change([OFFICE], at("2026-01-02 08:30")) == 8.5 * 3600
    assert seconds_to_change([OFFICE], at("2026-01-02 17:00")) == 15.5 * 3600
