"""Alerts on measured wind."""

from pathlib import Path

import pytest

from quartet.wind.alerts import store
from quartet.wind.alerts.measured import MeasuredAlerts, is_met, next_state
from quartet.wind.alerts.store_measured import MeasuredState
from quartet.wind.alerts.types import HourSpan, Rule
from quartet.wind.observations import store as observations
from quartet.wind.observations.types import Measurement
from quartet.wind.places.coordinates import Coordinates
from quartet.wind.stations.station_index import NearStation
from quartet.wind.stations.types import Codes, KnownStation
from tests.wind.alert_harness import (
    HOUR,
    START,
    AlertHarness,
    add_user,
    alert_change,
    alert_harness_at,
    windy,
)

pytestmark = pytest.mark.anyio
STATION = 7
MINUTE = 60


class OneStation:
    def nearest(self, _place: Coordinates) -> NearStation | None:
        return NearStation(3.0, STATION)

    async def by_ids(self, ids: list[int]) -> dict[int, KnownStation]:
        codes = Codes(icao="EDHK")
        return {each: KnownStation("Pier", 54.4, 10.2, codes, "DE", "UTC") for each in ids}


class Beach:
    """A spot with an alert on measured wind, next to a station."""

    def __init__(self, harness: AlertHarness) -> None:
        self.harness = harness
        self.alerts = MeasuredAlerts(harness.db, OneStation(), harness.clock)

    async def measure(self, minute: int, wind: float, direction: int | None = 270) -> None:
        """Record a measurement and run all loops."""
        self.harness.clock.now = START + minute * MINUTE
        at = int(self.harness.clock.now)
        measurement = Measurement(at, wind, direction, "metar", wind + 5)
        await self.harness.db.write(lambda tx: observations.add(tx.conn, [(STATION, measurement)]))
        await self.alerts.check()
        await self.alerts.check()
        await self.harness.tick()


async def beach_at(harness: AlertHarness, **changes: object) -> Beach:
    user = await add_user(harness)
    spot = await harness.spot(user)
    await harness.set(spot, alert_change(measured=True, **changes))
    return Beach(harness)


async def test_wind_is_reported_when_it_begins(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy()) as harness:
        beach = await beach_at(harness)
        await beach.measure(0, 9)
        assert harness.push.received == []
        await beach.measure(20, 16)
        await beach.measure(40, 18)
        await beach.measure(60, 20)
        (push,), (mail,) = harness.push.received, harness.mail.received
        assert push.text == (
            "Kite Nord: Blowing now\nTue 12 May 02:20: 16 kn from W, measured at Pier"
        )
        assert mail.more["subject"] == "Kite Nord: 16 kn now"
        assert "gusts up to 21 kn" in mail.text


async def test_lull_does_not_repeat_the_message_but_a_calm_hour_does(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy()) as harness:
        beach = await beach_at(harness)
        await beach.measure(0, 16)
        await beach.measure(20, 12)
        await beach.measure(40, 16)
        assert len(harness.push.received) == 1
        for minute in (60, 80, 100, 120, 140):
            await beach.measure(minute, 8)
        await beach.measure(160, 17)
        assert len(harness.push.received) == 2


async def test_measured_wind_is_not_reported_in_quiet_hours(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy()) as harness:
        # Local time is UTC+2.
        beach = await beach_at(harness, quiet=HourSpan(22, 7))
        await beach.measure(30, 18)
        harness.clock.now = START + 6 * HOUR
        await harness.tick()
        assert harness.push.received == []


async def test_old_measurement_and_switched_off_alert_are_ignored(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy()) as harness:
        user = await add_user(harness)
        spot = await harness.spot(user)
        await harness.set(spot, alert_change(measured=False))
        await Beach(harness).measure(0, 18)
        await harness.set(spot, alert_change(measured=True))
        harness.clock.now = START + 2 * HOUR
        assert await Beach(harness).alerts.check() == 0
        assert harness.push.received == []
        mine = await harness.db.read(store.of_user, user)
        assert [each.measured for each in mine] == [True]


async def test_measured_wind_does_not_suppress_forecast_window(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((2, 8))) as harness:
        beach = await beach_at(harness)
        await beach.measure(0, 18)
        harness.publish(START)
        await harness.tick()
        (entry,) = [each for each in await harness.history(1) if each.kind == "window"]
        assert entry.window.start == START + 2 * HOUR
        assert len(harness.push.received) == 2


@pytest.mark.parametrize(
    ("wind", "gust", "direction", "met"),
    [
        (15.0, None, 270, True),
        (14.94, None, 270, False),
        (25.1, None, 270, False),
        (18.0, 31.0, 270, False),
        (18.0, 30.0, 180, False),
        (18.0, 30.0, None, False),
        (18.0, 30.0, 315, True),
    ],
)
def test_conditions_are_those_of_the_alert(
    wind: float, gust: float | None, direction: int | None, met: bool
) -> None:
    rule = Rule(15, 25, 30, [(225, 315)], 0, 24, 0b1111111, 48, 3, "Europe/Berlin")
    assert is_met(rule, Measurement(START, wind, direction, "metar", gust)) is met
    # Only between 10 and 20 o'clock, and on Mondays: it is Tuesday, two o'clock.
    assert not is_met(rule._replace(hour_from=10, hour_to=20), Measurement(START, 18, 270, "metar"))
    assert not is_met(rule._replace(weekdays=1), Measurement(START, 18, 270, "metar"))


def test_wind_ends_after_a_long_gap_without_measurements() -> None:
    before = MeasuredState(True, None, START)
    assert next_state(before, True, START + 7 * HOUR).blowing
    assert not next_state(before, False, START + 7 * HOUR).blowing
    lull = next_state(before, False, START + HOUR)
    assert lull == MeasuredState(True, START + HOUR, START + HOUR)
