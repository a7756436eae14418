"""A month of weather with all that can go wrong: what should be told is told exactly once."""

import math
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from quartet.wind.alerts import evaluation as evaluations
from quartet.wind.alerts.types import HourSpan
from quartet.wind.spots.types import Sector
from tests.wind.alarm_oracle import Oracle
from tests.wind.alarm_rooms import (
    DAY,
    GRID,
    HOUR,
    Crash,
    Room,
    dying_after,
    room_at,
    somebody,
    wish,
)

pytestmark = pytest.mark.anyio

# The clocks change on the 29th of March in Europe, and on the 8th in America.
FIRST = int(datetime(2026, 3, 5, tzinfo=UTC).timestamp())
DAYS = 30
EVERY = 3 * HOUR
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata")
WISHES = [
    wish(lead_hours=72),
    wish(wind_min=11.75, wind_max=20.25, hours=HourSpan(10, 20)),
    wish(wind_min=16.75, min_hours=2, quiet=HourSpan(22, 7)),
    wish(gust_max=24.25, weekdays=[6, 7], lead_hours=72),
    wish(directions=[Sector(185, 295)], min_hours=1),
    wish(wind_min=9.75, hours=HourSpan(22, 6), min_hours=5, quiet=HourSpan(21, 8)),
    wish(directions=[Sector(315, 125)], hours=HourSpan(6, 22)),
    wish(wind_min=18.75, min_hours=1, lead_hours=24),
    wish(lead_hours=12, quiet=HourSpan(0, 6)),
    wish(wind_min=12.75, hours=HourSpan(12, 18), weekdays=[1, 3, 5, 7]),
    wish(wind_min=13.75, min_hours=8, lead_hours=72, quiet=HourSpan(23, 9)),
    wish(wind_min=4.75, wind_max=9.25, min_hours=6),
]


def weather(spot: int, run: int, time: int) -> tuple[float, float, int]:
    """Lows that pass, windy afternoons, and forecasts that err more the further they look."""
    days, lead = time / DAY, (time - run) / DAY
    low = 12 + 6 * math.sin(2 * math.pi * (days / 3.7 + spot * 0.31))
    afternoon = 4 * math.cos(2 * math.pi * (days - 14 / 24))
    # From run to run, and in moods that last for days.
    error = lead * (1.2 * math.sin(run / 9000 + spot * 1.7 + days * 5))
    error += lead * 3.5 * math.sin(run / DAY * 2.2 + spot * 1.7)
    wind = max(round(2 * (low + afternoon + error)) / 2, 2.0)
    gust = wind + 2 + round(4 * abs(math.sin(days * 3 + spot))) / 2
    direction = round(18 + 14 * math.sin(2 * math.pi * (days / 5.3 + spot * 0.13))) * 10
    return wind, gust, direction % 360


def has_run(run: int) -> bool:
    """Some runs are missing, and once there is none for a day and a half."""
    number = (run - FIRST) // EVERY
    return number % 11 != 5 and not 6 * DAY <= run - FIRST < 7.5 * DAY


def outage(now: float) -> dict[str, bool]:
    """Which ways are open."""
    day = (now - FIRST) / DAY
    return {
        "push": not (14 <= day < 15 or 20 <= day < 20.5),
        "email": not (10 <= day < 11.5 or 20 <= day < 20.5),
    }


# Much of it is waiting for the disk, and others may use that as well.
@pytest.mark.timeout(300)
async def test_every_alarm_that_should_fire_fires_exactly_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluations, "AT_ONCE", 5)
    async with room_at(tmp_path, weather, now=FIRST + 600) as room:
        user = await somebody(room)
        oracles = await set_up(room, user)
        for tick in range(DAYS * 24):
            now = FIRST + tick * HOUR
            room.clock.now = now + 600
            if now % EVERY == 0 and has_run(now):
                await new_run(room, now, tick, oracles)
            await send(room, tick, oracles)
        await compare(room, user, oracles)


async def set_up(room: Room, user: int) -> dict[int, Oracle]:
    oracles = {}
    for number, change in enumerate(WISHES):
        zone = ZONES[number % len(ZONES)]
        spot = await room.spot(user, number % GRID.points, zone)
        await room.set(spot, change)
        oracles[spot] = Oracle(change, zone)
    return oracles


async def new_run(room: Room, run: int, tick: int, oracles: dict[int, Oracle]) -> None:
    reach = 72 if run % (6 * HOUR) == 0 else 30
    room.publish(run, reach)
    if tick % 5 == 0:
        with pytest.raises(Crash), dying_after(tick % 3):
            await room.evaluation.look()
        room.restart()
    await room.evaluation.look()
    await room.evaluation.look()
    for number, oracle in enumerate(oracles.values()):

        def told(time: int, number: int = number) -> tuple[float, float, int]:
            return weather(number % GRID.points, run, time)

        oracle.run(run, run + reach * HOUR, room.clock(), told)


async def send(room: Room, tick: int, oracles: dict[int, Oracle]) -> None:
    up = outage(room.clock())
    room.push.down, room.mail.down = not up["push"], not up["email"]
    if tick % 17 == 0:
        room.restart()
    room.push.crash = tick % 29 == 3 and up["push"]
    try:
        await room.delivery.deliver("push")
    except Crash:
        room.restart()
    room.push.crash = False
    await room.delivery.deliver("email")
    for oracle in oracles.values():
        oracle.tick(room.clock(), up)


async def compare(room: Room, user: int, oracles: dict[int, Oracle]) -> None:
    expected = {
        f"{spot}-{told.began}-{told.turn}": told
        for spot, oracle in oracles.items()
        for told in oracle.told
    }
    assert {entry.id for entry in await room.history(user)} == set(expected)
    pushed = Counter(each.name for each in room.push.arrived)
    mailed = Counter(each.name for each in room.mail.arrived)
    # A crash between sending and writing repeats a message under its name, and nothing else does.
    assert sum(pushed.values()) - len(pushed) <= DAYS and max(mailed.values()) == 1
    at = {("push", each.name): each.at for each in reversed(room.push.arrived)}
    at |= {("email", each.name): each.at for each in room.mail.arrived}
    certain = {name: told for name, told in expected.items() if not told.uncertain}
    for name, told in certain.items():
        for channel in ("push", "email"):
            assert at.get((channel, name)) == told.sent.get(channel), (name, channel)
    assert {name for _, name in at} <= set(expected)
    assert len(certain) > 150 and len(certain) > 0.8 * len(expected)
    assert sum(told.turn > 1 for told in expected.values()) > 2
