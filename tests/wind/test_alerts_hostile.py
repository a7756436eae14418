"""Alerts under adverse conditions: no duplicates and no floods."""

import asyncio
from pathlib import Path

import pytest

from quartet.kernel.push.types import PushResult
from quartet.wind.alerts import evaluation as evaluations
from quartet.wind.alerts import store
from quartet.wind.alerts.types import HourSpan
from quartet.wind.spots import store as spots
from tests.wind.alert_harness import (
    DAY,
    HOUR,
    START,
    AlertHarness,
    Crash,
    add_user,
    alert_change,
    alert_harness_at,
    crash_after,
    windy,
)

pytestmark = pytest.mark.anyio

FEW = 6


async def many(harness: AlertHarness, **changes: object) -> list[int]:
    """Create several alerts of one user."""
    user = await add_user(harness)
    found = [await harness.spot(user, number) for number in range(FEW)]
    for spot in found:
        await harness.set(spot, alert_change(**changes))
    return found


async def test_flapping_window_is_announced_once(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy()) as harness:
        await many(harness)
        for number in range(14):
            shown = [(40 + number % 3, 46 + number % 2)] if number % 2 == 0 else []
            harness.weather = windy(*shown)
            harness.publish(START + 3 * HOUR * number)
            await harness.tick()
            harness.clock.now += 3 * HOUR
        # It is announced, withdrawn a day before it begins, and announced when it returns. Then
        # single runs without it no longer matter.
        expected = ["1", "1-withdrawn", "2"]
        for received in (harness.push.received, harness.mail.received):
            assert [len(each.windows) for each in received] == [FEW] * 3
            assert [each.name.split("-", 2)[2] for each in received] == expected


async def test_crash_during_evaluation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluations, "AT_ONCE", 2)
    async with alert_harness_at(tmp_path, windy((30, 36))) as harness:
        await many(harness)
        harness.publish(START)
        for batches in (1, 2):
            with pytest.raises(Crash), crash_after(batches):
                await harness.evaluation.evaluate_new()
            harness.restart()
            await harness.delivery.deliver("push")
            assert harness.push.received == [], "the rest of the run is still missing"
        await harness.tick()
        await harness.tick()
        (push,) = harness.push.received
        assert len(push.windows) == len(set(push.windows)) == FEW


async def test_crash_between_sending_and_saving_shows_one_message(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((30, 36))) as harness:
        user = await add_user(harness)
        await harness.set(await harness.spot(user), alert_change())
        harness.publish(START)
        await harness.evaluation.evaluate_new()
        harness.push.crash = True
        with pytest.raises(Crash):
            await harness.delivery.deliver("push")
        harness.restart()
        await harness.tick()
        assert len(harness.push.received) == 1, "it may still be on its way"
        harness.clock.now += HOUR
        await harness.tick()
        await harness.tick()
        # The second one replaces the first: same tag and topic.
        assert [each.name for each in harness.push.received] == [harness.push.received[0].name] * 2


@pytest.mark.parametrize("with_postgres", [False, True], ids=["sqlite", "postgresql"])
async def test_two_processes_announce_once(
    tmp_path: Path, request: pytest.FixtureRequest, with_postgres: bool
) -> None:
    url = request.getfixturevalue("postgres_url") if with_postgres else None
    async with alert_harness_at(tmp_path, windy((30, 36)), url=url) as harness:
        await many(harness)
        harness.publish(START)
        other = AlertHarness(
            harness.folder,
            harness.db,
            harness.clock,
            harness.weather,
            harness.push,
            harness.mail,
            harness.catalogue,
        )
        for _ in range(3):
            await asyncio.gather(harness.tick(), other.tick(), harness.tick())
        for received in (harness.push.received, harness.mail.received):
            names = [name for each in received for name in each.windows]
            assert len(names) == len(set(names)) == FEW


@pytest.mark.parametrize("jump", [-400 * DAY, -3 * DAY, -HOUR, 5 * HOUR, 3 * DAY, 400 * DAY])
async def test_clock_jumps_do_not_repeat_messages(tmp_path: Path, jump: int) -> None:
    async with alert_harness_at(tmp_path, windy((30, 36), (54, 60))) as harness:
        user = await add_user(harness)
        await harness.set(await harness.spot(user), alert_change(lead_hours=72))
        harness.publish(START)
        await harness.tick()
        assert [len(each.windows) for each in harness.push.received] == [2]
        harness.clock.now += jump
        await harness.tick()
        harness.restart()
        harness.publish(START + 3 * HOUR)
        await harness.tick()
        await harness.publish_and_process(START + 6 * HOUR)
        assert len(harness.push.received) == len(harness.mail.received) == 1
        assert len(await harness.history(user)) == 2


async def test_message_postponed_by_wrong_clock_is_sent_after_correction(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((40, 46))) as harness:
        user = await add_user(harness)
        await harness.set(await harness.spot(user), alert_change(lead_hours=72))
        harness.publish(START)
        await harness.evaluation.evaluate_new()
        harness.clock.now += 39 * HOUR
        harness.push.answer = PushResult(0, 0, 1, (1,), retry_after=86000)
        await harness.delivery.deliver("push")
        harness.clock.now = START + HOUR
        harness.push.answer = PushResult(1, 0, 0)
        await harness.delivery.deliver("push")
        assert len(harness.push.received) == 1


async def test_dead_browsers_end_the_retries(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((30, 36))) as harness:
        user = await add_user(harness)
        await harness.set(await harness.spot(user), alert_change())
        harness.push.answer = PushResult(0, 50, 0)
        harness.publish(START)
        for _ in range(5):
            await harness.tick()
            harness.clock.now += HOUR
        assert harness.push.tries == 1 and len(harness.mail.received) == 1
        (entry,) = await harness.history(user)
        assert entry.messages[1].error is not None
        assert (entry.messages[1].state, entry.messages[1].error.code) == ("failed", "no_devices")


async def test_mail_server_down_until_window_begins(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((12, 18))) as harness:
        user = await add_user(harness)
        await harness.set(await harness.spot(user), alert_change())
        harness.mail.down = True
        harness.publish(START)
        for _ in range(13 * 6):
            await harness.tick()
            harness.clock.now += 600
        # Short delays first, then every half hour.
        assert 20 <= harness.mail.tries <= 30 and len(harness.push.received) == 1
        (entry,) = await harness.history(user)
        assert entry.messages[0].state == "failed" and entry.messages[0].error is not None
        assert entry.messages[0].error.code == "mail_failed"
        harness.mail.down = False
        await harness.tick()
        assert harness.mail.received == []


async def test_mail_server_comes_back(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((30, 36))) as harness:
        await many(harness)
        harness.mail.down = True
        harness.publish(START)
        for _ in range(8):
            await harness.tick()
            harness.clock.now += HOUR
        harness.restart()
        harness.mail.down = False
        await harness.tick()
        await harness.tick()
        for received in (harness.push.received, harness.mail.received):
            assert [len(each.windows) for each in received] == [FEW]


async def test_rejected_address_is_not_retried(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((30, 36))) as harness:
        user = await add_user(harness)
        await harness.set(await harness.spot(user), alert_change())
        harness.mail.down, harness.mail.status = True, 550
        harness.publish(START)
        for _ in range(4):
            await harness.tick()
            harness.clock.now += HOUR
        assert harness.mail.tries == 1


async def test_alert_on_deleted_spot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with alert_harness_at(tmp_path, windy((30, 36))) as harness:
        user = await add_user(harness)
        first, second = await harness.spot(user, 0), await harness.spot(user, 1)
        await harness.set(first, alert_change())
        await harness.set(second, alert_change())
        harness.publish(START)
        real = evaluations.windows_in

        def removed_meanwhile(*given: object) -> object:
            harness.db.write_sync(lambda tx: spots.remove(tx.conn, user, first))
            return real(*given)  # type: ignore[arg-type]

        monkeypatch.setattr(evaluations, "windows_in", removed_meanwhile)
        await harness.evaluation.evaluate_new()
        await harness.db.write(lambda tx: spots.remove(tx.conn, user, second))
        await harness.tick()
        assert harness.push.received == [] and harness.mail.received == []


async def test_alert_switched_off_while_message_waits(tmp_path: Path) -> None:
    async with alert_harness_at(tmp_path, windy((30, 36))) as harness:
        user = await add_user(harness)
        spot = await harness.spot(user)
        await harness.set(spot, alert_change())
        harness.publish(START)
        await harness.evaluation.evaluate_new()
        await harness.db.write(lambda tx: store.stop_emails(tx.conn, spot, user))
        await harness.tick()
        assert harness.mail.received == [] and len(harness.push.received) == 1


@pytest.mark.parametrize(
    ("evening", "hours"),
    # Eight hours from 23 to 7 in Berlin, except in the nights of clock changes.
    [(1_774_648_800, 8), (1_774_735_200, 7), (1_792_875_600, 9)],
)
async def test_quiet_hours_across_clock_changes(tmp_path: Path, evening: int, hours: int) -> None:
    begin = (evening - START) // HOUR
    weather = windy((begin + 12, begin + 20))
    async with alert_harness_at(tmp_path, weather, now=evening) as harness:
        user = await add_user(harness)
        await harness.set(await harness.spot(user), alert_change(quiet=HourSpan(23, 7)))
        harness.publish((evening - 2 * HOUR) // (3 * HOUR) * 3 * HOUR)
        for _ in range(12 * 4):
            await harness.tick()
            harness.clock.now += 900
        assert [each.at for each in harness.push.received] == [evening + hours * HOUR]
