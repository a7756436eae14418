"""A spot that is put somewhere else takes its alarm along."""

from pathlib import Path

import pytest

from quartet.wind.alerts import store
from quartet.wind.alerts.choosing import Choosing
from quartet.wind.alerts.service import Alarms
from quartet.wind.alerts.types import HourSpan
from quartet.wind.models.catalogue import MODELS
from quartet.wind.spots.service import Spots
from quartet.wind.spots.types import FavoriteChanges, Sector
from tests.wind.alarm_rooms import GRID, HOUR, START, Room, blowing, room_at, somebody, wish

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


def rooms_of(room: Room, woken: Woken) -> tuple[Spots, Alarms]:
    async def limit() -> int:
        return 50

    spots = Spots(room.db, None, limit)  # type: ignore[arg-type]
    choosing = Choosing(MODELS, Unranked(), room.catalogue, room.clock)  # type: ignore[arg-type]
    alarms = Alarms(room.db, spots, choosing, None, woken)  # type: ignore[arg-type]
    spots.following.append(alarms.follow)
    return spots, alarms


async def test_what_was_told_of_the_old_place_does_not_silence_the_new_one(tmp_path: Path) -> None:
    async with room_at(tmp_path, blowing((30, 36))) as room:
        user, woken = await somebody(room), Woken()
        spot = await room.spot(user)
        await room.set(spot, wish(model="icon-eu"))
        room.publish(START)
        await room.tick()
        spots, _ = rooms_of(room, woken)
        await spots.change(user, spot, FavoriteChanges(name="Another name"))
        await room.tick()
        assert (len(room.push.arrived), woken.times) == (1, 0)
        await spots.change(user, spot, ELSEWHERE)
        assert woken.times == 1
        # The run is the same; nobody has to wait for the next one.
        await room.tick()
        await room.tick()
        assert len(room.push.arrived) == len(room.mail.arrived) == 2
        # Not as a repetition of the first: whoever receives both would keep one.
        assert len({each.name for each in room.mail.arrived}) == 2
        told = [each.messages for each in await room.history(user)]
        assert [[message.state for message in each] for each in told] == [["sent", "sent"]] * 2


async def test_what_waits_is_not_told_of_a_place_the_spot_has_left(tmp_path: Path) -> None:
    def only_there(spot: int, run: int, time: int) -> tuple[float, float, int]:
        return blowing((30, 36))(spot, run, time) if spot == 0 else (5, 9, 270)

    async with room_at(tmp_path, only_there) as room:
        user = await somebody(room)
        spot = await room.spot(user)
        await room.set(spot, wish(model="icon-eu", quiet=HourSpan(0, 8)))
        room.publish(START)
        await room.tick()
        spots, _ = rooms_of(room, Woken())
        await spots.change(user, spot, ELSEWHERE)
        room.clock.now = START + 12 * HOUR
        await room.tick()
        # And when it blows there as well it is told once.
        room.weather = blowing((30, 36))
        room.publish(START + 12 * HOUR)
        await room.tick()
        assert len(room.push.arrived) == 1


async def test_other_directions_are_looked_at_without_a_new_run(tmp_path: Path) -> None:
    async with room_at(tmp_path, blowing((30, 36))) as room:
        user, woken = await somebody(room), Woken()
        spot = await room.spot(user)
        spots, _ = rooms_of(room, woken)
        await spots.change(user, spot, FavoriteChanges(directions=[Sector(45, 135)]))
        await room.set(spot, wish(model="icon-eu"))
        room.publish(START)
        await room.tick()
        assert room.push.arrived == []
        await spots.change(user, spot, FavoriteChanges(directions=[Sector(225, 315)]))
        await room.tick()
        assert (len(room.push.arrived), woken.times) == (1, 1)
        await spots.change(user, spot, FavoriteChanges(directions=[]))
        await room.tick()
        assert len(room.push.arrived) == 1, "the place is the same, and so is the window"


async def test_a_model_that_does_not_cover_the_new_place_is_left(tmp_path: Path) -> None:
    async with room_at(tmp_path, blowing()) as room:
        user = await somebody(room)
        spot = await room.spot(user)
        await room.set(spot, wish())
        spots, alarms = rooms_of(room, Woken())
        await spots.change(user, spot, FavoriteChanges(lat=-41.3, lon=174.8))
        (alarm,) = (await alarms.all(user)).alarms
        assert alarm.follows == "icon"


async def test_an_alarm_that_follows_another_model_is_looked_at_again(tmp_path: Path) -> None:
    async with room_at(tmp_path, blowing((30, 36))) as room:
        user, woken = await somebody(room), Woken()
        spot = await room.spot(user)
        await room.set(spot, wish(model="icon-eu"))
        await room.db.write(lambda tx: store.choose(tx.conn, [(spot, "gfs")]))
        room.publish(START)
        await room.tick()
        assert room.push.arrived == []
        _, alarms = rooms_of(room, woken)
        assert (await alarms.choose_models(), woken.times) == (1, 1)
        await room.tick()
        assert len(room.push.arrived) == 1
        assert (await alarms.choose_models(), woken.times) == (0, 1)
