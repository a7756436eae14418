"""Contents and timing of alert messages."""

from pathlib import Path

import pytest

from quartet.kernel.push.types import PushResult
from quartet.wind.alerts.texts import time_text
from quartet.wind.alerts.types import AlertWindow, ChosenChannels, HourSpan
from tests.wind.alert_harness import (
    DAY,
    HOUR,
    START,
    AlertHarness,
    add_user,
    alert_change,
    alert_harness_at,
    windy,
)

pytestmark = pytest.mark.anyio


async def set_up(harness: AlertHarness, **changes: object) -> tuple[int, int]:
    user = await add_user(harness)
    spot = await harness.spot(user)
    await harness.set(spot, alert_change(**changes))
    harness.publish(START)
    return user, spot


async def test_push_and_mail_contents(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((11, 16))) as harness:
        user, spot = await set_up(harness)
        await harness.tick()
        (push,), (mail,) = harness.push.received, harness.mail.received
        # Local time at the spot is two hours ahead.
        assert push.text == "Kite Nord: Tue 12 May 13-18 h: 18 kn from W\nModel ICON-EU"
        assert push.more["url"] == f"/spots/{spot}" and push.more["ttl"] == 11 * HOUR
        assert (mail.user, mail.more["subject"]) == (
            "ada@example.org",
            "Kite Nord: 18 kn, Tue 12 May 13-18 h",
        )
        assert "gusts up to 22 kn" in mail.text and f"wind.example.org/spots/{spot}" in mail.text
        assert "https://wind.example.org/unsubscribe?token=" in mail.text
        assert mail.more["unsubscribe"].startswith(
            "https://wind.example.org/api/alarms/unsubscribe?token="
        )
        assert mail.more["message_id"] == f"<alarm-{push.name}@wind.example.org>"
        (entry,) = await harness.history(user)
        assert (entry.favorite, entry.window.start) == (spot, START + 11 * HOUR)
        assert [(each.channel, each.state) for each in entry.messages] == [
            ("email", "sent"),
            ("push", "sent"),
        ]


@pytest.mark.parametrize(
    ("start", "end", "zone", "language", "expected"),
    [
        (11, 16, "Europe/Berlin", "de", "Di 12.5. 13-18 Uhr"),
        (20, 26, "Europe/Berlin", "de", "Di 12.5. 22 - Mi 13.5. 4 Uhr"),
        (20, 26, "Europe/Berlin", "en", "Tue 12 May 22 - Wed 13 May 4 h"),
        (18, 22, "Europe/Berlin", "en", "Tue 12 May 20-24 h"),
        (18, 22, "Europe/Berlin", "xx", "Tue 12 May 20-24 h"),
        (11, 16, "Asia/Kolkata", "de", "Di 12.5. 16:30-21:30 Uhr"),
        (11, 19, "Asia/Kolkata", "en", "Tue 12 May 16:30-0:30 h"),
    ],
)
async def test_times_are_in_local_time_of_the_spot(
    start: int, end: int, zone: str, language: str, expected: str
) -> None:
    window = AlertWindow(START + start * HOUR, START + end * HOUR, 15, 22, None, 268)
    assert time_text(window, zone, language) == expected


async def test_only_enabled_channels_and_confirmed_addresses_get_messages(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((11, 16))) as harness:
        stranger = await add_user(harness, email=None)
        spot = await harness.spot(stranger)
        await harness.set(spot, alert_change(channels=ChosenChannels(push=False, email=True)))
        quiet = await harness.spot(stranger, 1)
        await harness.set(quiet, alert_change(channels=ChosenChannels(push=False, email=False)))
        off = await harness.spot(stranger, 2)
        await harness.set(off, alert_change(enabled=False))
        harness.publish(START)
        await harness.tick()
        assert harness.push.received == [] and harness.mail.received == []
        ((entry),) = await harness.history(stranger)
        (message,) = entry.messages
        assert message.state == "failed" and message.error is not None
        assert message.error.code == "email_unconfirmed"


async def test_changed_alert_is_evaluated_without_new_run(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((11, 16), wind=12)) as harness:
        _, spot = await set_up(harness)
        await harness.tick()
        assert harness.push.received == []
        await harness.set(spot, alert_change(wind_min=10))
        await harness.tick()
        await harness.tick()
        assert len(harness.push.received) == 1


async def test_waiting_message_is_updated_to_newer_forecast(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((30, 36))) as harness:
        await set_up(harness)
        harness.push.down = True
        await harness.tick()
        harness.weather = windy((31, 37), wind=24)
        harness.publish(START + 3 * HOUR)
        harness.clock.now += 3 * HOUR
        harness.push.down = False
        await harness.tick()
        (push,) = harness.push.received
        assert push.text == "Kite Nord: Wed 13 May 9-15 h: 24 kn from W\nModel ICON-EU"


async def test_window_starting_where_an_earlier_one_began_is_announced(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((30, 33))) as harness:
        await set_up(harness)
        for hour in (0, 3, 6, 9, 12):
            # Each run moves it three hours earlier.
            harness.weather = windy((30 - hour, 33 - hour))
            await harness.publish_and_process(START + hour * HOUR)
        assert len(harness.push.received) == 1
        harness.weather = windy((30, 33))
        await harness.publish_and_process(START + 27 * HOUR)
        assert len(harness.push.received) == 2


async def test_undelivered_window_is_announced_once_after_it_returns(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((60, 66))) as harness:
        await set_up(harness, lead_hours=72)
        harness.push.down = True
        await harness.tick()
        harness.weather = windy()
        for hour in range(3, 30, 3):
            await harness.publish_and_process(START + hour * HOUR)
        harness.push.down = False
        harness.weather = windy((60, 66))
        await harness.publish_and_process(START + 30 * HOUR)
        assert len(harness.push.received) == 1


async def test_window_that_vanishes_before_delivery_is_never_announced(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((30, 36))) as harness:
        user, _ = await set_up(harness)
        harness.push.down = True
        await harness.tick()
        harness.push.down = False
        harness.weather = windy()
        harness.publish(START + 3 * HOUR)
        harness.clock.now += 3 * HOUR
        await harness.tick()
        assert harness.push.received == []
        harness.clock.now = START + 31 * HOUR
        await harness.tick()
        (entry,) = await harness.history(user)
        assert entry.messages[1].state == "failed"
        assert harness.push.received == []


async def test_only_unreached_browsers_are_retried(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((30, 36))) as harness:
        user, _ = await set_up(harness)
        harness.push.answer = PushResult(1, 0, 1, (7,), retry_after=1000)
        await harness.tick()
        assert harness.push.received[0].more["only"] is None
        harness.clock.now += 900
        await harness.tick()
        assert len(harness.push.received) == 1, "the push service asked for more time"
        harness.push.answer = PushResult(1, 0, 0)
        harness.clock.now += 200
        await harness.tick()
        await harness.tick()
        assert [each.more["only"] for each in harness.push.received] == [None, [7]]
        (entry,) = await harness.history(user)
        assert entry.messages[1].state == "sent"


@pytest.mark.parametrize(
    ("window", "quiet", "arrives"),
    [
        # Local time is UTC+2; quiet hours from 22 to 7 end at 5:00 UTC.
        ((6, 12), (22, 7), 5),
        # Begins during quiet hours and lasts longer.
        ((3, 12), (22, 7), 5),
        # Ends before the quiet hours do.
        ((1, 5), (22, 7), None),
        ((6, 12), (3, 7), 0),
    ],
)
async def test_quiet_hours_are_respected(
    tmp_path: Path, window: tuple[int, int], quiet: tuple[int, int], arrives: int | None
) -> None:
    async with alert_harness_at(tmp_path, windy(window)) as harness:
        user, _ = await set_up(harness, quiet=HourSpan(*quiet))
        for _ in range(16):
            await harness.tick()
            harness.clock.now += HOUR
        expected = [] if arrives is None else [START + arrives * HOUR]
        assert [each.at for each in harness.push.received] == expected
        assert [each.at for each in harness.mail.received] == expected
        if arrives is None:
            (entry,) = await harness.history(user)
            assert {each.state for each in entry.messages} == {"dropped"}
            assert entry.messages[0].error is not None
            assert entry.messages[0].error.code == "quiet_hours"


async def test_window_moved_during_quiet_hours_is_still_announced(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((4, 12))) as harness:
        await set_up(harness, quiet=HourSpan(22, 7))
        await harness.tick()
        harness.weather = windy((4, 11))
        harness.clock.now += 3 * HOUR
        harness.publish(START + 3 * HOUR)
        await harness.tick()
        harness.clock.now = START + 5 * HOUR
        await harness.tick()
        assert len(harness.push.received) == 1


async def test_window_growing_during_quiet_hours_is_announced_afterwards(
    tmp_path: Path,
) -> None:
    # In the evening it is forecast to end at 5:00 local time; quiet hours end at 8:00.
    async with alert_harness_at(tmp_path, windy((26, 29))) as harness:
        await set_up(harness, quiet=HourSpan(22, 8))
        harness.clock.now = START + 21 * HOUR
        harness.publish(START + 18 * HOUR)
        await harness.tick()
        harness.clock.now = START + 29 * HOUR + 1800
        await harness.tick()
        harness.weather = windy((26, 40))
        harness.publish(START + 27 * HOUR)
        await harness.tick()
        assert harness.push.received == []
        harness.clock.now = START + 30 * HOUR
        await harness.tick()
        assert [each.at for each in harness.push.received] == [START + 30 * HOUR]


async def test_old_windows_and_messages_are_deleted_by_run_time(
    tmp_path: Path,
) -> None:
    async with alert_harness_at(tmp_path, windy((11, 16))) as harness:
        user, _ = await set_up(harness)
        await harness.tick()
        harness.publish(START + 89 * DAY)
        harness.clock.now += 89 * DAY
        await harness.tick()
        assert len(await harness.history(user)) == 1
        harness.publish(START + 92 * DAY)
        harness.clock.now += 3 * DAY
        await harness.tick()
        assert await harness.history(user) == []


async def test_window_beyond_a_short_run_is_found_in_the_run_before(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((40, 46))) as harness:
        harness.publish(START)
        harness.publish(START + 3 * HOUR, reach=30)
        harness.clock.now = START + 3 * HOUR
        user = await add_user(harness)
        await harness.set(await harness.spot(user), alert_change())
        await harness.tick()
        assert len(harness.push.received) == 1
        # The next short run does not reach it either, and announces nothing again.
        harness.publish(START + 6 * HOUR, reach=30)
        harness.clock.now = START + 6 * HOUR
        await harness.tick()
        assert len(harness.push.received) == 1
