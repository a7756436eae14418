"""Simulated weeks with failures, compared with the second implementation."""

import math
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from quartet.wind.alerts import evaluation as evaluations
from quartet.wind.alerts.tables import alarm_messages as messages
from quartet.wind.alerts.types import HourSpan
from quartet.wind.spots.types import Sector
from tests.rounds import NIGHTLY
from tests.wind.alert_harness import (
    DAY,
    GRID,
    HOUR,
    AlertHarness,
    Crash,
    add_user,
    alert_change,
    alert_harness_at,
    crash_after,
)
from tests.wind.alert_oracle import Oracle

pytestmark = pytest.mark.anyio

# The clocks change on 29 March in Europe and on 8 March in America.
FIRST = int(datetime(2026, 3, 5, tzinfo=UTC).timestamp())
# Twelve days include a gap in the runs, an outage and the American change of clocks.
DAYS = 30 if NIGHTLY else 12
EVERY = 3 * HOUR
# How many hours every second run reaches, and the runs in between.
LONG, SHORT = 72, 30
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata")
WISHES = [
    alert_change(lead_hours=72),
    alert_change(wind_min=11.75, wind_max=20.25, hours=HourSpan(10, 20)),
    alert_change(wind_min=16.75, min_hours=2, quiet=HourSpan(22, 7)),
    alert_change(gust_max=24.25, weekdays=[6, 7], lead_hours=72),
    alert_change(directions=[Sector(185, 295)], min_hours=1),
    alert_change(wind_min=9.75, hours=HourSpan(22, 6), min_hours=5, quiet=HourSpan(21, 8)),
    alert_change(directions=[Sector(315, 125)], hours=HourSpan(6, 22)),
    alert_change(wind_min=18.75, min_hours=1, lead_hours=24),
    alert_change(lead_hours=12, quiet=HourSpan(0, 6)),
    alert_change(wind_min=12.75, hours=HourSpan(12, 18), weekdays=[1, 3, 5, 7]),
    alert_change(wind_min=13.75, min_hours=8, lead_hours=72, quiet=HourSpan(23, 9)),
    alert_change(wind_min=4.75, wind_max=9.25, min_hours=6),
]


def weather(spot: int, run: int, time: int) -> tuple[float, float, int]:
    """Passing lows, windy afternoons, and forecast errors that grow with lead time."""
    days, lead = time / DAY, (time - run) / DAY
    low = 12 + 6 * math.sin(2 * math.pi * (days / 3.7 + spot * 0.31))
    afternoon = 4 * math.cos(2 * math.pi * (days - 14 / 24))
    # Errors differ between runs and persist for days.
    error = lead * (1.2 * math.sin(run / 9000 + spot * 1.7 + days * 5))
    error += lead * 3.5 * math.sin(run / DAY * 2.2 + spot * 1.7)
    wind = max(round(2 * (low + afternoon + error)) / 2, 2.0)
    gust = wind + 2 + round(4 * abs(math.sin(days * 3 + spot))) / 2
    direction = round(18 + 14 * math.sin(2 * math.pi * (days / 5.3 + spot * 0.13))) * 10
    return wind, gust, direction % 360


def has_run(run: int) -> bool:
    """Some runs are missing, including a gap of a day and a half."""
    number = (run - FIRST) // EVERY
    return number % 11 != 5 and not 6 * DAY <= run - FIRST < 7.5 * DAY


def outage(now: float) -> dict[str, bool]:
    """Return which channels work."""
    day = (now - FIRST) / DAY
    return {
        "push": not (14 <= day < 15 or 20 <= day < 20.5),
        "email": not (10 <= day < 11.5 or 20 <= day < 20.5),
    }


# Mostly waiting for the disk, so tests can run in parallel.
@pytest.mark.nightly
@pytest.mark.timeout(300)
async def test_every_expected_alert_is_sent_exactly_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluations, "AT_ONCE", 5)
    async with alert_harness_at(tmp_path, weather, now=FIRST + 600) as harness:
        user = await add_user(harness)
        oracles = await set_up(harness, user)
        for tick in range(DAYS * 24):
            now = FIRST + tick * HOUR
            harness.clock.now = now + 600
            if now % EVERY == 0 and has_run(now):
                await new_run(harness, now, tick, oracles)
            await send(harness, tick, oracles)
        await compare(harness, user, oracles)


async def set_up(harness: AlertHarness, user: int) -> dict[int, Oracle]:
    oracles = {}
    for number, change in enumerate(WISHES):
        zone = ZONES[number % len(ZONES)]
        spot = await harness.spot(user, number % GRID.points, zone)
        await harness.set(spot, change)
        oracles[spot] = Oracle(change, zone)
    return oracles


async def new_run(harness: AlertHarness, run: int, tick: int, oracles: dict[int, Oracle]) -> None:
    reach = LONG if run % (6 * HOUR) == 0 else SHORT
    harness.publish(run, reach)
    sent = await announced(harness)
    if tick % 5 == 0:
        with pytest.raises(Crash), crash_after(tick % 3):
            await harness.evaluation.evaluate_new()
        harness.restart()
    await harness.evaluation.evaluate_new()
    await harness.evaluation.evaluate_new()
    # A short run is continued by the long one before it.
    long = run if reach == LONG else last_long(run)
    end = max(run + reach * HOUR, long + LONG * HOUR)
    for number, (spot, oracle) in enumerate(oracles.items()):

        def forecast(time: int, number: int = number) -> tuple[float, float, int]:
            source = run if time <= run + reach * HOUR else long
            return weather(number % GRID.points, source, time)

        oracle.run(run, end, harness.clock(), forecast, sent.get(spot, set()))


def last_long(run: int) -> int:
    """Return the run before this one that reached furthest, or the run itself if none did."""
    earlier = (each for each in range(run - EVERY, FIRST - 1, -EVERY) if has_run(each))
    return next((each for each in earlier if each % (6 * HOUR) == 0), run)


async def announced(harness: AlertHarness) -> dict[int, set[tuple[int, int]]]:
    """Return the id and turn of the windows that have been announced, by spot."""
    keys = select(messages.c.alarm, messages.c.began, messages.c.turn)
    rows = await harness.db.read(
        lambda conn: conn.execute(keys.where(messages.c.sent_at.is_not(None))).all()
    )
    found: dict[int, set[tuple[int, int]]] = {}
    for spot, began, turn in rows:
        found.setdefault(spot, set()).add((began, turn))
    return found


async def send(harness: AlertHarness, tick: int, oracles: dict[int, Oracle]) -> None:
    up = outage(harness.clock())
    harness.push.down, harness.mail.down = not up["push"], not up["email"]
    if tick % 17 == 0:
        harness.restart()
    harness.push.crash = tick % 29 == 3 and up["push"]
    try:
        await harness.delivery.deliver("push")
    except Crash:
        harness.restart()
    harness.push.crash = False
    await harness.delivery.deliver("email")
    for oracle in oracles.values():
        oracle.tick(harness.clock(), up)


async def compare(harness: AlertHarness, user: int, oracles: dict[int, Oracle]) -> None:
    expected = {
        f"{spot}-{announced.began}-{announced.turn}": announced
        for spot, oracle in oracles.items()
        for announced in oracle.announced
    }
    withdrawn = {
        f"{spot}-{began}-{turn}-withdrawn"
        for spot, oracle in oracles.items()
        for began, turn in oracle.withdrawn
    }
    history = await harness.history(user)
    assert {entry.id for entry in history if entry.kind == "window"} == set(expected)
    assert {entry.id for entry in history if entry.kind == "withdrawn"} == withdrawn
    pushed = Counter(name for each in harness.push.received for name in each.windows)
    mailed = Counter(name for each in harness.mail.received for name in each.windows)
    # Only a crash between sending and saving repeats a message, with the same id.
    assert sum(pushed.values()) - len(pushed) <= DAYS and max(mailed.values()) == 1
    at = {
        ("push", name): each.at for each in reversed(harness.push.received) for name in each.windows
    }
    at |= {("email", name): each.at for each in harness.mail.received for name in each.windows}
    certain = {name: announced for name, announced in expected.items() if not announced.uncertain}
    for name, announced in certain.items():
        for channel in ("push", "email"):
            assert at.get((channel, name)) == announced.sent.get(channel), (name, channel)
    assert {name for _, name in at} <= set(expected) | withdrawn
    assert len(withdrawn) > DAYS / 2
    assert len(certain) > 5 * DAYS and len(certain) > 0.8 * len(expected)
    assert any(announced.turn > 1 for announced in expected.values())
