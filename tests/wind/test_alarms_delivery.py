"""What arrives, when, and how it reads."""

from pathlib import Path

import pytest

from quartet.wind.alerts.texts import sentence
from quartet.wind.alerts.types import Channels, HourSpan, Window
from quartet.wind.push.types import Sent
from tests.wind.alarm_rooms import DAY, HOUR, START, Room, blowing, room_at, somebody, wish

pytestmark = pytest.mark.anyio


async def set_up(room: Room, **changes: object) -> tuple[int, int]:
    user = await somebody(room)
    spot = await room.spot(user)
    await room.set(spot, wish(**changes))
    room.publish(START)
    return user, spot


async def test_push_and_mail_arrive_in_words(tmp_path: Path) -> None:
    async with room_at(tmp_path, blowing((11, 16))) as room:
        user, spot = await set_up(room)
        await room.tick()
        (push,), (mail,) = room.push.arrived, room.mail.arrived
        # Two hours later on the clocks of the spot.
        assert push.text == "Kite Nord: 18 kn from W, Tue 13-18 h, model ICON-EU"
        assert push.more["url"] == f"/spots/{spot}" and push.more["ttl"] == 11 * HOUR
        assert (mail.user, mail.more["subject"]) == (
            "ada@example.org",
            "Kite Nord: 18 kn, Tue 13-18 h",
        )
        assert "Gusts up to 22 kn" in mail.text and f"wind.example.org/spots/{spot}" in mail.text
        assert "https://wind.example.org/unsubscribe?token=" in mail.text
        assert mail.more["unsubscribe"].startswith(
            "https://wind.example.org/api/alarms/unsubscribe?token="
        )
        assert mail.more["message_id"] == f"<alarm-{push.name}@wind.example.org>"
        (entry,) = await room.history(user)
        assert (entry.favorite, entry.window.start) == (spot, START + 11 * HOUR)
        assert [(each.channel, each.state) for each in entry.messages] == [
            ("email", "sent"),
            ("push", "sent"),
        ]


@pytest.mark.parametrize(
    ("start", "end", "language", "expected"),
    [
        (11, 16, "de", "15-22 kn aus W, Di 13-18 Uhr, Modell ICON-EU"),
        (20, 26, "en", "15-22 kn from W, Tue 22 - Wed 4 h, model ICON-EU"),
        (18, 22, "en", "15-22 kn from W, Tue 20-24 h, model ICON-EU"),
        (18, 22, "xx", "15-22 kn from W, Tue 20-24 h, model ICON-EU"),
    ],
)
async def test_times_are_told_in_the_time_of_the_spot(
    start: int, end: int, language: str, expected: str
) -> None:
    window = Window(START + start * HOUR, START + end * HOUR, 15, 22, None, 268)
    assert sentence(window, "ICON-EU", "Europe/Berlin", language) == expected


async def test_only_wanted_channels_and_confirmed_addresses(tmp_path: Path) -> None:
    async with room_at(tmp_path, blowing((11, 16))) as room:
        stranger = await somebody(room, email=None)
        spot = await room.spot(stranger)
        await room.set(spot, wish(channels=Channels(push=False, email=True)))
        quiet = await room.spot(stranger, 1)
        await room.set(quiet, wish(channels=Channels(push=False, email=False)))
        off = await room.spot(stranger, 2)
        await room.set(off, wish(enabled=False))
        room.publish(START)
        await room.tick()
        assert room.push.arrived == [] and room.mail.arrived == []
        ((entry),) = await room.history(stranger)
        (message,) = entry.messages
        assert message.state == "failed" and message.error is not None
        assert message.error.code == "email_unconfirmed"


async def test_a_changed_alarm_is_looked_at_without_a_new_run(tmp_path: Path) -> None:
    async with room_at(tmp_path, blowing((11, 16), wind=12)) as room:
        _, spot = await set_up(room)
        await room.tick()
        assert room.push.arrived == []
        await room.set(spot, wish(wind_min=10))
        await room.tick()
        await room.tick()
        assert len(room.push.arrived) == 1


async def test_what_waits_is_told_as_it_is_forecast_by_then(tmp_path: Path) -> None:
    async with room_at(tmp_path, blowing((30, 36))) as room:
        await set_up(room)
        room.push.down = True
        await room.tick()
        room.weather = blowing((31, 37), wind=24)
        room.publish(START + 3 * HOUR)
        room.clock.now += 3 * HOUR
        room.push.down = False
        await room.tick()
        (push,) = room.push.arrived
        assert push.text == "Kite Nord: 24 kn from W, Wed 9-15 h, model ICON-EU"


async def test_a_window_where_another_began_that_is_over_now_is_told(tmp_path: Path) -> None:
    async with room_at(tmp_path, blowing((30, 33))) as room:
        await set_up(room)
        for hour in (0, 3, 6, 9, 12):
            # Each run puts it three hours earlier.
            room.weather = blowing((30 - hour, 33 - hour))
            await room.comes(START + hour * HOUR)
        assert len(room.push.arrived) == 1
        room.weather = blowing((30, 33))
        await room.comes(START + 27 * HOUR)
        assert len(room.push.arrived) == 2


async def test_what_could_not_be_told_before_it_was_gone_is_told_once(tmp_path: Path) -> None:
    async with room_at(tmp_path, blowing((60, 66))) as room:
        await set_up(room, lead_hours=72)
        room.push.down = True
        await room.tick()
        room.weather = blowing()
        for hour in range(3, 30, 3):
            await room.comes(START + hour * HOUR)
        room.push.down = False
        room.weather = blowing((60, 66))
        await room.comes(START + 30 * HOUR)
        assert len(room.push.arrived) == 1


async def test_what_vanished_before_it_was_told_waits_and_is_never_told(tmp_path: Path) -> None:
    async with room_at(tmp_path, blowing((30, 36))) as room:
        user, _ = await set_up(room)
        room.push.down = True
        await room.tick()
        room.push.down = False
        room.weather = blowing()
        room.publish(START + 3 * HOUR)
        room.clock.now += 3 * HOUR
        await room.tick()
        assert room.push.arrived == []
        room.clock.now = START + 31 * HOUR
        await room.tick()
        (entry,) = await room.history(user)
        assert entry.messages[1].state == "failed"
        assert room.push.arrived == []


async def test_browsers_that_could_not_be_reached_are_tried_alone(tmp_path: Path) -> None:
    async with room_at(tmp_path, blowing((30, 36))) as room:
        user, _ = await set_up(room)
        room.push.answer = Sent(1, 0, 1, (7,), retry_after=1000)
        await room.tick()
        assert room.push.arrived[0].more["only"] is None
        room.clock.now += 900
        await room.tick()
        assert len(room.push.arrived) == 1, "the push service asked for more time"
        room.push.answer = Sent(1, 0, 0)
        room.clock.now += 200
        await room.tick()
        await room.tick()
        assert [each.more["only"] for each in room.push.arrived] == [None, [7]]
        (entry,) = await room.history(user)
        assert entry.messages[1].state == "sent"


@pytest.mark.parametrize(
    ("window", "quiet", "arrives"),
    [
        # Local time is two hours ahead; it is quiet from 22 to 7, so until 5 by our clock.
        ((6, 12), (22, 7), 5),
        # It begins while it is quiet, and lasts longer.
        ((3, 12), (22, 7), 5),
        # Over before anybody is awake.
        ((1, 5), (22, 7), None),
        ((6, 12), (3, 7), 0),
    ],
)
async def test_quiet_hours_are_kept(
    tmp_path: Path, window: tuple[int, int], quiet: tuple[int, int], arrives: int | None
) -> None:
    async with room_at(tmp_path, blowing(window)) as room:
        user, _ = await set_up(room, quiet=HourSpan(*quiet))
        for _ in range(16):
            await room.tick()
            room.clock.now += HOUR
        expected = [] if arrives is None else [START + arrives * HOUR]
        assert [each.at for each in room.push.arrived] == expected
        assert [each.at for each in room.mail.arrived] == expected
        if arrives is None:
            (entry,) = await room.history(user)
            assert {each.state for each in entry.messages} == {"dropped"}
            assert entry.messages[0].error is not None
            assert entry.messages[0].error.code == "quiet_hours"


async def test_a_message_moved_while_it_is_quiet_is_still_told(tmp_path: Path) -> None:
    async with room_at(tmp_path, blowing((4, 12))) as room:
        await set_up(room, quiet=HourSpan(22, 7))
        await room.tick()
        room.weather = blowing((4, 11))
        room.clock.now += 3 * HOUR
        room.publish(START + 3 * HOUR)
        await room.tick()
        room.clock.now = START + 5 * HOUR
        await room.tick()
        assert len(room.push.arrived) == 1


async def test_a_window_that_grows_while_it_is_quiet_is_told_in_the_morning(
    tmp_path: Path,
) -> None:
    # Over at 5 by local time, as it looks in the evening; quiet is until 8.
    async with room_at(tmp_path, blowing((26, 29))) as room:
        await set_up(room, quiet=HourSpan(22, 8))
        room.clock.now = START + 21 * HOUR
        room.publish(START + 18 * HOUR)
        await room.tick()
        room.clock.now = START + 29 * HOUR + 1800
        await room.tick()
        room.weather = blowing((26, 40))
        room.publish(START + 27 * HOUR)
        await room.tick()
        assert room.push.arrived == []
        room.clock.now = START + 30 * HOUR
        await room.tick()
        assert [each.at for each in room.push.arrived] == [START + 30 * HOUR]


async def test_old_windows_and_their_messages_are_forgotten_by_the_time_of_runs(
    tmp_path: Path,
) -> None:
    async with room_at(tmp_path, blowing((11, 16))) as room:
        user, _ = await set_up(room)
        await room.tick()
        room.publish(START + 89 * DAY)
        room.clock.now += 89 * DAY
        await room.tick()
        assert len(await room.history(user)) == 1
        room.publish(START + 92 * DAY)
        room.clock.now += 3 * DAY
        await room.tick()
        assert await room.history(user) == []
