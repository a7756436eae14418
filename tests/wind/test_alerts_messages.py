"""Messages of alerts as they arrive, and their settings."""

import re
import time
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from sqlalchemy import update

from quartet.wind.alerts.tables import alarm_messages
from quartet.wind.alerts.unsubscribe import ALL_ALERTS, UnsubscribeTarget, UnsubscribeTokens
from quartet.wind.grid.geometry import Area, Grid
from tests.client import Client
from tests.push_service import push_service
from tests.wind.account_setup import service_of
from tests.wind.alert_api import ALARM, HOUR, add_spot, run_loop, with_mail
from tests.wind.mailbox import Mailbox, mailbox, text_of
from tests.wind.quiet import quiet
from tests.wind.runs import finished_run
from tests.wind.signed_in_users import SignedInUser, signed_in_user

pytestmark = pytest.mark.anyio

EUROPE = Grid.over(Area(0, 45, 20, 60), 1.0)


@pytest.fixture
async def box() -> AsyncIterator[Mailbox]:
    async with mailbox() as each:
        yield each


@pytest.fixture
def run(tmp_path: Path) -> int:
    """A run of ICON-EU with eight windows of two hours, and calm in between."""
    run = int(time.time()) // (3 * HOUR) * 3 * HOUR
    numbers = np.zeros((73, 3, EUROPE.points), np.int16)
    for number in range(1, 9):
        numbers[8 * number : 8 * number + 2, 0] = 1820
    finished_run(tmp_path / "grids", EUROPE, numbers, run=run)
    return run


@pytest.fixture
async def site(tmp_path: Path, box: Mailbox, run: int) -> AsyncIterator[Client]:
    async with quiet(tmp_path, allow_private_addresses=True, **box.settings) as client:
        yield client


@pytest.fixture
async def anna(site: Client) -> SignedInUser:
    return await with_mail(site, await signed_in_user(site))


async def test_eight_windows_arrive_as_one_mail_and_one_push(
    site: Client, anna: SignedInUser, box: Mailbox, run: int
) -> None:
    favorite = await add_spot(anna)
    body = {**ALARM, "model": "icon-eu", "leadHours": 72}
    await anna.browser.patch("/api/me", json={"units": {"wind": "kmh"}})
    async with push_service() as service:
        phone = service.browser("phone")
        await anna.browser.post("/api/push/subscriptions", json=phone.subscription())
        assert (await anna.browser.put(f"/api/alarms/{favorite}", json=body)).status_code == 200
        for name in ("alarms", "alarm push", "alarm mails") * 2:
            await run_loop(site, name)
        (pushed,) = phone.received
    mail = await box.next()
    assert box.empty and box.tried == 1
    assert mail["Subject"] == "Kite Nord: 8 windows"
    text = text_of(mail)
    for number in range(1, 9):
        start = datetime.fromtimestamp(run + 8 * number * HOUR, ZoneInfo("Europe/Berlin"))
        # A window that ends after midnight also names the day of its end.
        line = rf"{start:%a} {start.day} {start:%b} {start.hour}( -|-)"
        assert re.search(line, text) and re.search(line, pushed.payload["body"]), line
    assert pushed.payload["url"] == f"/spots/{favorite}"
    # Converted before it is rounded: 18 knots would be 33.
    assert text.count(": 34 km/h from ") == pushed.payload["body"].count(": 34 km/h from ") == 8
    assert " kn" not in text and " kn" not in pushed.payload["body"]
    entries = (await anna.browser.get("/api/alarms/history")).json()["entries"]
    assert [each["window"]["windLow"] for each in entries] == [18.2] * 8
    # Messages of earlier versions have only rounded knots.
    before = update(alarm_messages).values(exact_low=None, exact_high=None, exact_gust=None)
    await site.started.kernel.db.write(lambda tx: tx.conn.execute(before).rowcount)
    entries = (await anna.browser.get("/api/alarms/history")).json()["entries"]
    assert [each["window"]["windHigh"] for each in entries] == [18] * 8


async def test_alerts_that_can_never_fire_are_rejected(anna: SignedInUser) -> None:
    favorite = await add_spot(anna)
    late = {"hours": {"from": 1, "to": 4}, "quiet": {"from": 21, "to": 8}}
    for change, code, inputs in (
        (
            {"hours": {"from": 10, "to": 12}, "minHours": 24},
            "alarm_hours_too_short",
            {"longest": 2, "least": 24},
        ),
        (
            {"hours": {"from": 0, "to": 24}, "weekdays": [1, 3], "minHours": 24, "leadHours": 12},
            "alarm_lead_too_short",
            {"lead": 12, "least": 24},
        ),
        ({**late, "leadHours": 3}, "alarm_always_quiet", {"start": 21, "end": 8}),
    ):
        answer = await anna.browser.put(f"/api/alarms/{favorite}", json=ALARM | change)
        assert answer.status_code == 400
        assert (answer.json()["code"], answer.json()["inputs"]) == (code, inputs)
    for change in (
        {"hours": {"from": 22, "to": 6}, "minHours": 8},
        {"weekdays": [7, 1], "minHours": 24},
        # Found in the evening before.
        {**late, "leadHours": 6},
    ):
        answer = await anna.browser.put(f"/api/alarms/{favorite}", json=ALARM | change)
        assert answer.status_code == 200, answer.text


async def test_daily_digest_is_a_setting_of_the_user(site: Client, anna: SignedInUser) -> None:
    path = "/api/alarms/settings"
    assert (await anna.browser.get(path)).json() == {}
    digest = {"digest": {"hour": 18, "timezone": "Europe/Berlin"}}
    assert (await anna.browser.put(path, json=digest)).json() == digest
    assert (await anna.browser.get(path)).json() == digest
    bob = await signed_in_user(site, "Bob")
    assert (await bob.browser.get(path)).json() == {}
    assert await site.code("GET", path) == (401, "signed_out")
    for name in ("Mars/Base", "../../etc/passwd", "/etc/passwd", "x" * 61):
        wrong = {"digest": {"hour": 18, "timezone": name}}
        assert (await anna.browser.put(path, json=wrong)).status_code == 400
    exported = (await anna.browser.get("/api/me/export")).json()
    assert exported["alarms"]["settings"] == digest
    assert (await anna.browser.put(path, json={})).json() == {}
    assert (await anna.browser.get(path)).json() == {}


async def test_mails_of_all_alerts_are_stopped_by_one_link(
    site: Client, anna: SignedInUser
) -> None:
    for _ in range(2):
        await anna.browser.put(f"/api/alarms/{await add_spot(anna)}", json=ALARM)
    token = service_of(site, UnsubscribeTokens).make(UnsubscribeTarget(ALL_ALERTS, anna.id))
    answer = await site.post("/api/alarms/unsubscribe", params={"token": token})
    assert answer.status_code == 204
    alarms = (await anna.browser.get("/api/alarms")).json()["alarms"]
    assert [each["channels"]["email"] for each in alarms] == [False, False]
