"""Finding windows, compared with a slow second implementation."""

import math
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.wind.alerts.hourly import corners_of, hourly, read_forecast, read_hourly
from quartet.wind.alerts.local_time import quiet_until
from quartet.wind.alerts.rules import Rules
from quartet.wind.alerts.types import AlertWindow, Rule
from quartet.wind.alerts.windows import windows_of
from quartet.wind.grid.forecast import join_runs
from quartet.wind.grid.geometry import Area, Grid
from quartet.wind.grid.layout import CHANNELS
from quartet.wind.grid.reading import StoredRun
from tests.wind.runs import finished_run

HOUR = 3600
START = 1_778_544_000
EVERY_DAY = 0b1111111
ANY = Rule(10, None, None, (), 0, 24, EVERY_DAY, 168, 1, "Europe/Berlin")
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland", "UTC")
# Around clock changes, and on an ordinary day.
STARTS = (1_774_738_800, 1_792_886_400, 1_793_491_200, 1_778_544_000, 1_759_000_000)
Series = tuple[list[float], list[float | None], list[int]]


def found(rule: Rule, first: int, series: Series, now: float | None = None) -> list[AlertWindow]:
    wind, gust, direction = (
        np.array([[math.nan if each is None else each for each in row]], np.float32)
        for row in series
    )
    turned = np.radians(direction)
    weather = hourly(first, -wind * np.sin(turned), -wind * np.cos(turned), gust)
    ahead = first if now is None else now
    return [window for _, window in windows_of(Rules([rule]), weather, ahead)]


def steady(hours: int, wind: float = 15, direction: int = 270) -> Series:
    return [wind] * hours, [wind * 1.3] * hours, [direction] * hours


def slow(rule: Rule, first: int, series: Series) -> list[tuple[int, int]]:
    """Straightforward hour-by-hour implementation."""
    good = [
        is_good(rule, first + HOUR * hour, *each)
        for hour, each in enumerate(zip(*series, strict=True))
    ]
    windows, begun = [], None
    for hour, each in enumerate([*good, False]):
        if each and begun is None:
            begun = hour
        if not each and begun is not None:
            if hour - begun >= rule.min_hours:
                windows.append((first + HOUR * begun, first + HOUR * hour))
            begun = None
    return windows[:]


def is_good(rule: Rule, time: int, wind: float, gust: float | None, direction: int) -> bool:
    local = datetime.fromtimestamp(time, UTC).astimezone(ZoneInfo(rule.timezone))
    hours = {hour % 24 for hour in hours_between(rule.hour_from, rule.hour_to)}
    enough = wind >= rule.wind_min and (rule.wind_max is None or wind <= rule.wind_max)
    calm = gust is None or rule.gust_max is None or gust <= rule.gust_max
    turned = not rule.sectors or any(
        end - start == 360 or (direction - start) % 360 <= (end - start) % 360
        for start, end in rule.sectors
    )
    day = rule.weekdays >> local.weekday() & 1
    return bool(enough and calm and turned and day and local.hour in hours)


def hours_between(start: int, end: int) -> range:
    return range(start, end) if start < end else range(start, end + 24)


rules = st.builds(
    Rule,
    st.integers(8, 18),
    st.none() | st.integers(18, 30),
    st.none() | st.integers(18, 40),
    st.lists(st.tuples(st.integers(0, 360), st.integers(0, 360)), max_size=2),
    st.integers(0, 23),
    st.integers(0, 24),
    st.integers(1, EVERY_DAY),
    st.just(168),
    st.integers(1, 6),
    st.sampled_from(ZONES),
)
# Integer knots, and directions away from sector edges, where rounding decides.
spells = st.lists(
    st.tuples(
        st.integers(1, 9), st.integers(4, 34), st.none() | st.integers(0, 12), st.integers(0, 359)
    ),
    min_size=1,
    max_size=12,
)


@given(rules, st.sampled_from(STARTS), spells)
def test_windows_match_simple_implementation(
    rule: Rule, first: int, parts: list[tuple[int, int, int | None, int]]
) -> None:
    wind = [float(speed) for hours, speed, _, _ in parts for _ in range(hours)]
    gust = [
        None if more is None else float(speed + more)
        for hours, speed, more, _ in parts
        for _ in range(hours)
    ]
    direction = [turned for hours, _, _, turned in parts for _ in range(hours)]
    series = (wind, gust, direction)
    windows = found(rule, first, series)
    assert [(window.start, window.end) for window in windows] == slow(rule, first, series)
    for window in windows:
        hours = slice((window.start - first) // HOUR, (window.end - first) // HOUR)
        assert (window.wind_low, window.wind_high) == (min(wind[hours]), max(wind[hours]))
        gusts = [each for each in gust[hours] if each is not None]
        assert window.gust == max(gusts, default=None)


def test_hours_of_the_day_can_span_midnight() -> None:
    night = ANY._replace(hour_from=22, hour_to=4, timezone="UTC", min_hours=6)
    midnight = 1_778_544_000
    windows = found(night, midnight, steady(48))
    assert [(each.start - midnight, each.end - midnight) for each in windows] == [
        (22 * HOUR, 28 * HOUR)
    ]


@pytest.mark.parametrize(
    ("night", "hours"),
    [(datetime(2026, 3, 28, 23, tzinfo=UTC), 7), (datetime(2026, 10, 24, 22, tzinfo=UTC), 9)],
)
def test_nights_of_clock_changes_are_shorter_or_longer(night: datetime, hours: int) -> None:
    rule = ANY._replace(hour_from=0, hour_to=8, weekdays=0b1000000)
    (window,) = found(rule, int(night.timestamp()), steady(24))
    assert window.end - window.start == hours * HOUR
    ended = datetime.fromtimestamp(window.end, ZoneInfo("Europe/Berlin"))
    assert (ended.hour, ended.weekday()) == (8, 6)


def test_only_hours_within_lead_time_count() -> None:
    first = 1_778_544_000
    (window,) = found(ANY._replace(lead_hours=5), first, steady(48))
    assert window.end == first + 5 * HOUR
    (window,) = found(ANY._replace(lead_hours=5), first, steady(48), now=first - 1800)
    assert window.end == first + 5 * HOUR
    assert found(ANY._replace(lead_hours=5, min_hours=6), first, steady(48)) == []


def test_window_has_direction_and_wind_range() -> None:
    wind = [12.0, 18.0, 15.0]
    (window,) = found(ANY, 1_778_544_000, (wind, [None] * 3, [350, 10, 0]))
    assert (window.wind_low, window.wind_high, window.gust) == (12, 18, None)
    assert window.direction in (0, 1, 2)


@given(
    st.sampled_from(ZONES),
    st.sampled_from(STARTS),
    st.integers(0, 3 * 86400),
    st.integers(0, 23),
    st.integers(0, 24),
)
def test_quiet_hours_end_in_local_time(
    zone: str, first: int, later: int, start: int, end: int
) -> None:
    now = first + later
    until = quiet_until(now, start, end, zone)

    def is_quiet(time: int) -> bool:
        hour = datetime.fromtimestamp(time, UTC).astimezone(ZoneInfo(zone)).hour
        return hour in {each % 24 for each in hours_between(start, end % 24)}

    if until is None:
        assert not is_quiet(now)
        return
    assert is_quiet(now) and now < until <= now + 25 * HOUR
    local = datetime.fromtimestamp(until, UTC).astimezone(ZoneInfo(zone))
    skipped = (local - timedelta(seconds=1)).utcoffset() != local.utcoffset()
    before = datetime.fromtimestamp(until - 1, UTC).astimezone(ZoneInfo(zone))
    assert local.hour == end % 24 or skipped or before.utcoffset() != local.utcoffset()


@given(st.floats(-95, 95), st.floats(-185, 185), st.booleans())
def test_corners_of_many_places_match_single_lookups(lat: float, lon: float, world: bool) -> None:
    grid = Grid.world(2.5) if world else Grid.over(Area(-23.5, 29.5, 62.5, 70.5), 0.0625)
    many = corners_of(grid, np.array([lat]), np.array([lon]))
    one = grid.corners(lat, lon)
    assert bool(many.inside[0]) == (one is not None)
    if one is not None:
        assert tuple(many.points[0].tolist()) == one.points
        assert many.weights[0] == pytest.approx(one.weights, abs=1e-6)


def test_hours_between_steps_are_interpolated(tmp_path: Path) -> None:
    grid = Grid.over(Area(0, 50, 2, 52), 1.0)
    steps = (*range(6), 8, 11, 20)
    numbers = np.zeros((len(steps), 3, grid.points), np.int16)
    numbers[:, 0] = -100 * np.array(steps)[:, None]
    numbers[:, 2] = 150 * np.array(steps)[:, None]
    run = StoredRun(finished_run(tmp_path, grid, numbers, run=7200, steps=steps))
    lats, lons = np.array([50.5, 51.0, 60.0]), np.array([0.5, 2.0, 1.0])
    weather = read_hourly(run, lats, lons, 7200 + HOUR, 40)
    assert weather.first == 7200 + HOUR and weather.wind.shape == (3, 20)
    assert weather.wind[0, :11] == pytest.approx([10 * hour for hour in range(1, 12)])
    assert weather.gust[1, :11] == pytest.approx([15 * hour for hour in range(1, 12)])
    assert set(weather.degrees[0, :11].tolist()) == {90}
    # Steps nine hours apart are not interpolated, and the last place is outside the area.
    assert np.isnan(weather.wind[0, 11:19]).all() and weather.wind[0, 19] == 200
    assert np.isnan(weather.wind[2]).all()
    assert read_hourly(run, lats, lons, 7200 + 21 * HOUR, 5).wind.shape == (3, 0)


def fair_weather(folder: Path, run: int, steps: tuple[int, ...]) -> StoredRun:
    """Return a run with 15 knots, a rain of 1 mm per hour from hour 3 to 6, and 2 degrees more
    every hour from 0 on; rain is in units of 0.05 mm.
    """
    grid = Grid.over(Area(0, 50, 2, 52), 1.0)
    numbers = np.zeros((len(steps), len(CHANNELS), grid.points), np.int16)
    hours = np.array(steps)[:, None]
    numbers[:, 0] = 1500
    numbers[:, CHANNELS.index("temperature")] = 200 * hours
    numbers[:, CHANNELS.index("precipitation")] = 20 * np.clip(hours - 3, 0, 3)
    return StoredRun(finished_run(folder, grid, numbers, run=run, steps=steps, channels=CHANNELS))


def windows_with(run: StoredRun, **conditions: Any) -> list[tuple[int, int]]:
    """Return the first and last hour of the windows in the first ten hours of a run."""
    rules = Rules([ANY._replace(**conditions, timezone="UTC")])
    place = np.array([51.0]), np.array([1.0])
    weather = read_hourly(run, *place, run.run, 10, with_weather=rules.need_weather)
    return [
        ((window.start - run.run) // HOUR, (window.end - run.run) // HOUR)
        for _, window in windows_of(rules, weather, run.run)
    ]


@pytest.mark.parametrize("steps", [tuple(range(12)), (0, 3, 6, 9, 12)])
def test_rain_and_temperature_are_conditions(tmp_path: Path, steps: tuple[int, ...]) -> None:
    run = fair_weather(tmp_path, START, steps)
    assert windows_with(run) == [(0, 10)]
    assert windows_with(run, rain_max=0) == [(0, 3), (6, 10)]
    assert windows_with(run, rain_max=0.9) == [(0, 3), (6, 10)]
    assert windows_with(run, rain_max=1) == [(0, 10)]
    assert windows_with(run, temperature_min=8) == [(4, 10)]
    assert windows_with(run, temperature_min=8, rain_max=0) == [(6, 10)]


def test_missing_weather_does_not_exclude_hours(tmp_path: Path) -> None:
    grid = Grid.over(Area(0, 50, 2, 52), 1.0)
    numbers = np.zeros((12, 3, grid.points), np.int16)
    numbers[:, 0] = 1500
    run = StoredRun(finished_run(tmp_path, grid, numbers, run=START))
    assert windows_with(run, rain_max=0, temperature_min=30) == [(0, 10)]
    rules = Rules([ANY._replace(rain_max=0, temperature_min=30)])
    place = np.array([51.0]), np.array([1.0])
    weather = read_hourly(run, *place, START, 10, with_weather=True)
    assert rules.unchecked(weather) == ["rain", "temperature"]
    assert Rules([ANY]).unchecked(weather) == []


def test_rain_is_known_where_two_runs_meet(tmp_path: Path) -> None:
    older = fair_weather(tmp_path, START, tuple(range(24)))
    newer = fair_weather(tmp_path, START + HOUR, tuple(range(4)))
    place = np.array([51.0]), np.array([1.0])
    weather = read_forecast(join_runs([newer, older]), *place, START + HOUR, 8, with_weather=True)
    # The newer run ends at hour 4 after START; from there on the older one has rain until hour 6.
    assert weather.rain is not None and weather.temperature is not None
    assert weather.rain[0].tolist() == [0, 0, 0, 10, 10, 0, 0, 0]
    assert weather.temperature[0].tolist() == [0, 2, 4, 6, 10, 12, 14, 16]
