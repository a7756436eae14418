"""Moving a spot that has an alert."""

from pathlib import Path

import pytest

from quartet.wind.alerts import store
from quartet.wind.alerts.model_choice import ModelChoice
from quartet.wind.alerts.service import Alerts
from quartet.wind.alerts.types import HourSpan
from quartet.wind.models.catalogue import MODELS
from quartet.wind.spots.service import Spots
from quartet.wind.spots.types import FavoriteChanges, Sector
from tests.wind.alert_harness import (
    GRID,
    HOUR,
    START,
    AlertHarness,
    add_user,
    alert_change,
    alert_harness_at,
    windy,
)

pytestmark = pytest.mark.anyio

ELSEWHERE = FavoriteChanges(lat=GRID.south + 2, lon=GRID.west + 3)


class Unranked:
    async def nearest(self, _place: object) -> None:
        return None


class Woken:
    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> None:
        self.times += 1


def rooms_of(harness: AlertHarness, woken: Woken) -> tuple[Spots, Alerts]:
    async def limit() -> int:
        return 50

    spots = Spots(harness.db, None, limit)  # type: ignore[arg-type]
    model_choice = ModelChoice(MODELS, Unranked(), harness.catalogue, harness.clock)  # type: ignore[arg-type]
    alarms = Alerts(harness.db, spots, model_choice, None, woken)  # type: ignore[arg-type]
    spots.change_hooks.append(alarms.on_spot_change)
    return spots, alarms


async def test_moved_spot_is_announced_although_old_place_was(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((30, 36))) as harness:
        user, woken = await add_user(harness), Woken()
        spot = await harness.spot(user)
        await harness.set(spot, alert_change(model="icon-eu"))
        harness.publish(START)
        await harness.tick()
        spots, _ = rooms_of(harness, woken)
        await spots.change(user, spot, FavoriteChanges(name="Another name"))
        await harness.tick()
        assert (len(harness.push.received), woken.times) == (1, 0)
        await spots.change(user, spot, ELSEWHERE)
        assert woken.times == 1
        # The current run is evaluated again at once.
        await harness.tick()
        await harness.tick()
        assert len(harness.push.received) == len(harness.mail.received) == 2
        # With a different id, so that it does not replace the first message.
        assert len({each.name for each in harness.mail.received}) == 2
        announced = [each.messages for each in await harness.history(user)]
        assert [[message.state for message in each] for each in announced] == [["sent", "sent"]] * 2


async def test_waiting_message_for_old_place_is_cancelled(tmp_path: Path) -> None:
    def only_there(spot: int, run: int, time: int) -> tuple[float, float, int]:
        return windy((30, 36))(spot, run, time) if spot == 0 else (5, 9, 270)

    async with alert_harness_at(tmp_path, only_there) as harness:
        user = await add_user(harness)
        spot = await harness.spot(user)
        await harness.set(spot, alert_change(model="icon-eu", quiet=HourSpan(0, 8)))
        harness.publish(START)
        await harness.tick()
        spots, _ = rooms_of(harness, Woken())
        await spots.change(user, spot, ELSEWHERE)
        harness.clock.now = START + 12 * HOUR
        await harness.tick()
        # Wind at the new place is announced once.
        harness.weather = windy((30, 36))
        harness.publish(START + 12 * HOUR)
        await harness.tick()
        assert len(harness.push.received) == 1


async def test_changed_directions_are_evaluated_without_new_run(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((30, 36))) as harness:
        user, woken = await add_user(harness), Woken()
        spot = await harness.spot(user)
        spots, _ = rooms_of(harness, woken)
        await spots.change(user, spot, FavoriteChanges(directions=[Sector(45, 135)]))
        await harness.set(spot, alert_change(model="icon-eu"))
        harness.publish(START)
        await harness.tick()
        assert harness.push.received == []
        await spots.change(user, spot, FavoriteChanges(directions=[Sector(225, 315)]))
        await harness.tick()
        assert (len(harness.push.received), woken.times) == (1, 1)
        await spots.change(user, spot, FavoriteChanges(directions=[]))
        await harness.tick()
        assert len(harness.push.received) == 1, "the place is the same, and so is the window"


async def test_model_not_covering_the_new_place_is_replaced(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy()) as harness:
        user = await add_user(harness)
        spot = await harness.spot(user)
        await harness.set(spot, alert_change())
        spots, alarms = rooms_of(harness, Woken())
        await spots.change(user, spot, FavoriteChanges(lat=-41.3, lon=174.8))
        (alarm,) = (await alarms.all(user)).alarms
        assert alarm.follows == "icon"


async def test_alert_is_evaluated_again_after_model_change(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((30, 36))) as harness:
        user, woken = await add_user(harness), Woken()
        spot = await harness.spot(user)
        await harness.set(spot, alert_change(model="icon-eu"))
        await harness.db.write(lambda tx: store.choose(tx.conn, [(spot, "gfs")]))
        harness.publish(START)
        await harness.tick()
        assert harness.push.received == []
        _, alarms = rooms_of(harness, woken)
        assert (await alarms.choose_models(), woken.times) == (1, 1)
        await harness.tick()
        assert len(harness.push.received) == 1
        assert (await alarms.choose_models(), woken.times) == (0, 1)
