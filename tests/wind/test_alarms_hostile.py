"""Hostile case 8: whatever happens, nobody is told twice and nobody is flooded."""

import asyncio
from pathlib import Path

import pytest

from quartet.wind.alerts import evaluation as evaluations
from quartet.wind.alerts import store
from quartet.wind.alerts.types import HourSpan
from quartet.wind.push.types import Sent
from quartet.wind.spots import store as spots
from tests.wind.alarm_rooms import (
    DAY,
    HOUR,
    START,
    Crash,
    Room,
    blowing,
    dying_after,
    room_at,
    somebody,
    wish,
)

pytestmark = pytest.mark.anyio

FEW = 6


async def many(room: Room, **changes: object) -> list[int]:
    """Several alarms of one person."""
    user = await somebody(room)
    found = [await room.spot(user, number) for number in range(FEW)]
    for spot in found:
        await room.set(spot, wish(**changes))
    return found


async def test_8_flapping_is_told_once(tmp_path: Path) -> None:
    async with room_at(tmp_path, blowing()) as room:
        await many(room)
        for number in range(14):
            shown = [(40 + number % 3, 46 + number % 2)] if number % 2 == 0 else []
            room.weather = blowing(*shown)
            room.publish(START + 3 * HOUR * number)
            await room.tick()
            room.clock.now += 3 * HOUR
        assert len(room.push.arrived) == len(room.mail.arrived) == FEW


async def test_8_killed_in_the_middle_of_an_evaluation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluations, "AT_ONCE", 2)
    async with room_at(tmp_path, blowing((30, 36))) as room:
        await many(room)
        room.publish(START)
        for batches in (1, 2):
            with pytest.raises(Crash), dying_after(batches):
                await room.evaluation.look()
            room.restart()
            await room.delivery.deliver("push")
            assert len(room.push.arrived) == 2 * batches
        await room.tick()
        await room.tick()
        names = [each.name for each in room.push.arrived]
        assert len(names) == len(set(names)) == FEW


async def test_8_killed_between_sending_and_writing_shows_once(tmp_path: Path) -> None:
    async with room_at(tmp_path, blowing((30, 36))) as room:
        user = await somebody(room)
        await room.set(await room.spot(user), wish())
        room.publish(START)
        await room.evaluation.look()
        room.push.crash = True
        with pytest.raises(Crash):
            await room.delivery.deliver("push")
        room.restart()
        await room.tick()
        assert len(room.push.arrived) == 1, "it may still be on its way"
        room.clock.now += HOUR
        await room.tick()
        await room.tick()
        # The second one replaces the first: same tag, same topic.
        assert [each.name for each in room.push.arrived] == [room.push.arrived[0].name] * 2


@pytest.mark.parametrize("with_postgres", [False, True], ids=["sqlite", "postgresql"])
async def test_8_two_processes_at_once_tell_once(
    tmp_path: Path, request: pytest.FixtureRequest, with_postgres: bool
) -> None:
    url = request.getfixturevalue("postgres_url") if with_postgres else None
    async with room_at(tmp_path, blowing((30, 36)), url=url) as room:
        await many(room)
        room.publish(START)
        other = Room(
            room.folder, room.db, room.clock, room.weather, room.push, room.mail, room.catalogue
        )
        for _ in range(3):
            await asyncio.gather(room.tick(), other.tick(), room.tick())
        names = [each.name for each in room.push.arrived]
        assert len(names) == len(set(names)) == FEW
        assert len(room.mail.arrived) == FEW


@pytest.mark.parametrize("jump", [-400 * DAY, -3 * DAY, -HOUR, 5 * HOUR, 3 * DAY, 400 * DAY])
async def test_8_a_clock_that_jumps_forgets_nothing(tmp_path: Path, jump: int) -> None:
    async with room_at(tmp_path, blowing((30, 36), (54, 60))) as room:
        user = await somebody(room)
        await room.set(await room.spot(user), wish(lead_hours=72))
        room.publish(START)
        await room.tick()
        assert len(room.push.arrived) == 2
        room.clock.now += jump
        await room.tick()
        room.restart()
        room.publish(START + 3 * HOUR)
        await room.tick()
        await room.comes(START + 6 * HOUR)
        assert len(room.push.arrived) == len(room.mail.arrived) == 2
        assert len(await room.history(user)) == 2


async def test_8_what_a_wrong_clock_put_off_is_sent_when_it_is_right_again(tmp_path: Path) -> None:
    async with room_at(tmp_path, blowing((40, 46))) as room:
        user = await somebody(room)
        await room.set(await room.spot(user), wish(lead_hours=72))
        room.publish(START)
        await room.evaluation.look()
        room.clock.now += 39 * HOUR
        room.push.answer = Sent(0, 0, 1, (1,), retry_after=86000)
        await room.delivery.deliver("push")
        room.clock.now = START + HOUR
        room.push.answer = Sent(1, 0, 0)
        await room.delivery.deliver("push")
        assert len(room.push.arrived) == 1


async def test_8_dead_browsers_end_the_attempts(tmp_path: Path) -> None:
    async with room_at(tmp_path, blowing((30, 36))) as room:
        user = await somebody(room)
        await room.set(await room.spot(user), wish())
        room.push.answer = Sent(0, 50, 0)
        room.publish(START)
        for _ in range(5):
            await room.tick()
            room.clock.now += HOUR
        assert room.push.tries == 1 and len(room.mail.arrived) == 1
        (entry,) = await room.history(user)
        assert entry.messages[1].error is not None
        assert (entry.messages[1].state, entry.messages[1].error.code) == ("failed", "no_devices")


async def test_8_mail_server_down_until_the_window_begins(tmp_path: Path) -> None:
    async with room_at(tmp_path, blowing((12, 18))) as room:
        user = await somebody(room)
        await room.set(await room.spot(user), wish())
        room.mail.down = True
        room.publish(START)
        for _ in range(13 * 6):
            await room.tick()
            room.clock.now += 600
        # Soon at first, then every half an hour.
        assert 20 <= room.mail.tries <= 30 and len(room.push.arrived) == 1
        (entry,) = await room.history(user)
        assert entry.messages[0].state == "failed" and entry.messages[0].error is not None
        assert entry.messages[0].error.code == "mail_failed"
        room.mail.down = False
        await room.tick()
        assert room.mail.arrived == []


async def test_8_mail_server_comes_back(tmp_path: Path) -> None:
    async with room_at(tmp_path, blowing((30, 36))) as room:
        await many(room)
        room.mail.down = True
        room.publish(START)
        for _ in range(8):
            await room.tick()
            room.clock.now += HOUR
        room.restart()
        room.mail.down = False
        await room.tick()
        await room.tick()
        assert len(room.mail.arrived) == len(room.push.arrived) == FEW


async def test_8_an_address_that_is_refused_is_not_tried_again(tmp_path: Path) -> None:
    async with room_at(tmp_path, blowing((30, 36))) as room:
        user = await somebody(room)
        await room.set(await room.spot(user), wish())
        room.mail.down, room.mail.status = True, 550
        room.publish(START)
        for _ in range(4):
            await room.tick()
            room.clock.now += HOUR
        assert room.mail.tries == 1


async def test_8_alarm_on_a_deleted_favorite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with room_at(tmp_path, blowing((30, 36))) as room:
        user = await somebody(room)
        first, second = await room.spot(user, 0), await room.spot(user, 1)
        await room.set(first, wish())
        await room.set(second, wish())
        room.publish(START)
        real = evaluations.windows_in

        def removed_meanwhile(*given: object) -> object:
            room.db.write_sync(lambda tx: spots.remove(tx.conn, user, first))
            return real(*given)  # type: ignore[arg-type]

        monkeypatch.setattr(evaluations, "windows_in", removed_meanwhile)
        await room.evaluation.look()
        await room.db.write(lambda tx: spots.remove(tx.conn, user, second))
        await room.tick()
        assert room.push.arrived == [] and room.mail.arrived == []


async def test_8_switched_off_while_a_message_waits(tmp_path: Path) -> None:
    async with room_at(tmp_path, blowing((30, 36))) as room:
        user = await somebody(room)
        spot = await room.spot(user)
        await room.set(spot, wish())
        room.publish(START)
        await room.evaluation.look()
        await room.db.write(lambda tx: store.without_email(tx.conn, spot, user))
        await room.tick()
        assert room.mail.arrived == [] and len(room.push.arrived) == 1


@pytest.mark.parametrize(
    ("evening", "hours"),
    # Eight hours from 23 to 7 in Berlin, but for the nights in which the clocks change.
    [(1_774_648_800, 8), (1_774_735_200, 7), (1_792_875_600, 9)],
)
async def test_8_quiet_hours_when_the_clocks_change(
    tmp_path: Path, evening: int, hours: int
) -> None:
    begin = (evening - START) // HOUR
    weather = blowing((begin + 12, begin + 20))
    async with room_at(tmp_path, weather, now=evening) as room:
        user = await somebody(room)
        await room.set(await room.spot(user), wish(quiet=HourSpan(23, 7)))
        room.publish((evening - 2 * HOUR) // (3 * HOUR) * 3 * HOUR)
        for _ in range(12 * 4):
            await room.tick()
            room.clock.now += 900
        assert [each.at for each in room.push.arrived] == [evening + hours * HOUR]
