"""One message per run and person, the daily digest, and withdrawn windows."""

from pathlib import Path

import pytest

from quartet.wind.alerts import store_settings
from quartet.wind.alerts.types import AlertSettings, DailyDigest, HourSpan
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

# Each on its own, six hours apart.
EIGHT = [(6 * number, 6 * number + 2) for number in range(1, 9)]


async def set_digest(harness: AlertHarness, user: int, hour: int | None) -> None:
    digest = None if hour is None else DailyDigest(hour, "Europe/Berlin")

    def work(tx: object) -> None:
        store_settings.save(tx.conn, user, AlertSettings(digest))  # type: ignore[attr-defined]
        store_settings.reschedule(tx.conn, user)  # type: ignore[attr-defined]

    await harness.db.write(work)


async def test_windows_of_several_spots_arrive_in_one_message(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy(*EIGHT)) as harness:
        user = await add_user(harness)
        for number in range(3):
            spot = await harness.spot(user, number)
            await harness.set(spot, alert_change(min_hours=2, lead_hours=72))
        harness.publish(START)
        await harness.tick()
        (push,), (mail,) = harness.push.received, harness.mail.received
        assert len(push.windows) == len(mail.windows) == 24
        assert push.text.startswith("Wind at 3 spots: Kite Nord, Tue 12 May 8-10 h: 18 kn from W\n")
        assert "and 16 more" in push.text and push.more["url"] == "/spots"
        assert mail.more["subject"] == "Wind at 3 spots: 24 windows"
        assert mail.text.count("18 kn from W") == 24
        # One link for each spot, and one for all of them.
        assert mail.text.count("/unsubscribe?token=") == 4
        assert len(await harness.history(user)) == 24


async def test_two_users_get_their_own_message(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((11, 16), (30, 36))) as harness:
        for name in ("ada@example.org", "bob@example.org"):
            spot = await harness.spot(await add_user(harness, email=name))
            await harness.set(spot, alert_change())
        harness.publish(START)
        await harness.tick()
        assert {each.user for each in harness.mail.received} == {
            "ada@example.org",
            "bob@example.org",
        }
        assert [len(each.windows) for each in harness.push.received] == [2, 2]


async def test_windows_of_later_runs_join_a_message_that_did_not_arrive(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((30, 36))) as harness:
        user = await add_user(harness)
        await harness.set(await harness.spot(user), alert_change())
        harness.mail.down = True
        await harness.publish_and_process(START)
        harness.weather = windy((30, 36), (46, 50))
        await harness.publish_and_process(START + 3 * HOUR)
        harness.mail.down = False
        harness.clock.now += HOUR
        await harness.tick()
        assert [len(each.windows) for each in harness.mail.received] == [2]
        assert [len(each.windows) for each in harness.push.received] == [1, 1]


async def test_withdrawn_window_is_reported_and_announced_again(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((20, 26))) as harness:
        user = await add_user(harness)
        await harness.set(await harness.spot(user), alert_change())
        await harness.publish_and_process(START)
        harness.weather = windy()
        await harness.publish_and_process(START + 3 * HOUR)
        await harness.publish_and_process(START + 6 * HOUR)
        assert len(harness.push.received) == len(harness.mail.received) == 2
        push, mail = harness.push.received[1], harness.mail.received[1]
        assert push.text == (
            "Kite Nord: Withdrawn: no longer forecast\n"
            "Tue 12 May 22 - Wed 13 May 4 h: 18 kn from W\nModel ICON-EU"
        )
        assert mail.more["subject"] == "Kite Nord: Tue 12 May 22 - Wed 13 May 4 h withdrawn"
        newest, _ = await harness.history(user)
        assert newest.kind == "withdrawn"
        harness.weather = windy((20, 26))
        await harness.publish_and_process(START + 9 * HOUR)
        assert len(harness.push.received) == len(harness.mail.received) == 3


async def test_distant_window_is_withdrawn_after_two_runs(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((60, 66))) as harness:
        user = await add_user(harness)
        await harness.set(await harness.spot(user), alert_change(lead_hours=72))
        await harness.publish_and_process(START)
        harness.weather = windy()
        await harness.publish_and_process(START + 3 * HOUR)
        assert len(harness.push.received) == 1
        await harness.publish_and_process(START + 6 * HOUR)
        assert len(harness.push.received) == 2


async def test_window_excluded_by_changed_alert_is_not_withdrawn(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((20, 26))) as harness:
        user = await add_user(harness)
        spot = await harness.spot(user)
        await harness.set(spot, alert_change())
        await harness.publish_and_process(START)
        await harness.set(spot, alert_change(wind_min=25))
        await harness.tick()
        for hour in (3, 6, 9):
            await harness.publish_and_process(START + hour * HOUR)
        assert len(harness.push.received) == 1


async def test_withdrawn_window_is_not_reported_where_it_was_not_announced(
    tmp_path: Path,
) -> None:
    async with alert_harness_at(tmp_path, windy((20, 26))) as harness:
        user = await add_user(harness)
        await harness.set(await harness.spot(user), alert_change())
        harness.mail.down = True
        await harness.publish_and_process(START)
        harness.weather = windy()
        harness.mail.down = False
        await harness.publish_and_process(START + 3 * HOUR)
        assert len(harness.push.received) == 2 and harness.mail.received == []


async def test_digest_collects_windows_of_a_day(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((40, 46))) as harness:
        user = await add_user(harness)
        await harness.set(await harness.spot(user), alert_change(lead_hours=72))
        # 18:00 in Berlin is 16:00 UTC.
        await set_digest(harness, user, 18)
        await harness.publish_and_process(START)
        harness.weather = windy((40, 46), (60, 66))
        await harness.publish_and_process(START + 9 * HOUR)
        assert harness.push.received == [] and harness.mail.received == []
        harness.clock.now = START + 16 * HOUR
        await harness.tick()
        for received in (harness.push.received, harness.mail.received):
            assert [(each.at, len(each.windows)) for each in received] == [(START + 16 * HOUR, 2)]


async def test_window_that_begins_before_digest_is_announced_at_once(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((12, 18), (40, 46))) as harness:
        user = await add_user(harness)
        await harness.set(await harness.spot(user), alert_change(lead_hours=72))
        await set_digest(harness, user, 18)
        await harness.publish_and_process(START)
        assert [len(each.windows) for each in harness.push.received] == [1]


async def test_digest_switched_off_sends_waiting_messages(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((40, 46))) as harness:
        user = await add_user(harness)
        await harness.set(await harness.spot(user), alert_change(lead_hours=72))
        await set_digest(harness, user, 18)
        await harness.publish_and_process(START)
        assert harness.push.received == []
        await set_digest(harness, user, None)
        await harness.tick()
        assert len(harness.push.received) == 1


async def test_digest_waits_for_end_of_quiet_hours(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((40, 46))) as harness:
        user = await add_user(harness)
        change = alert_change(lead_hours=72, quiet=HourSpan(17, 20))
        await harness.set(await harness.spot(user), change)
        await set_digest(harness, user, 18)
        harness.publish(START)
        for hour in range(24):
            harness.clock.now = START + hour * HOUR
            await harness.tick()
        assert [each.at for each in harness.push.received] == [START + 18 * HOUR]
