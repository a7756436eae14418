"""The alert API."""

import hmac
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.wind.alerts.service import Alerts
from quartet.wind.alerts.store_announcements import Announcement, add_messages
from quartet.wind.alerts.store_windows import save_windows
from quartet.wind.alerts.types import AlertWindow
from quartet.wind.alerts.unsubscribe import (
    KEY_FILE,
    UnsubscribeTarget,
    UnsubscribeTokens,
)
from quartet.wind.alerts.window_dedup import KnownWindow, WindowUpdate
from quartet.wind.grid.geometry import Area, Grid
from quartet.wind.grid.layout import CHANNELS
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


def breeze(folder: Path) -> int:
    """Add a run of ICON-EU with 18 knots from the west everywhere."""
    run = int(time.time()) // (3 * HOUR) * 3 * HOUR
    numbers = np.zeros((49, 3, EUROPE.points), np.int16)
    numbers[:, 0], numbers[:, 2] = 1800, 2300
    finished_run(folder / "grids", EUROPE, numbers, run=run)
    return run


@pytest.fixture
async def box() -> AsyncIterator[Mailbox]:
    async with mailbox() as each:
        yield each


@pytest.fixture
async def site(tmp_path: Path, box: Mailbox) -> AsyncIterator[Client]:
    breeze(tmp_path)
    async with quiet(tmp_path, allow_private_addresses=True, **box.settings) as client:
        yield client


@pytest.fixture
async def anna(site: Client) -> SignedInUser:
    return await with_mail(site, await signed_in_user(site))


async def test_alert_is_set_read_and_removed(anna: SignedInUser) -> None:
    favorite = await add_spot(anna)
    path = f"/api/alarms/{favorite}"
    assert (await anna.browser.get("/api/alarms")).json() == {"alarms": []}
    more = {"windMax": 25, "directions": [{"from": 200, "to": 320}], "quiet": {"from": 22, "to": 7}}
    answer = await anna.browser.put(path, json={**ALARM, **more})
    assert answer.status_code == 200, answer.text
    # Without a ranking the finest model is used.
    expected = {**ALARM, **more, "favorite": favorite, "follows": "icon-d2"}
    assert answer.json() == expected
    assert answer.headers["cache-control"] == "private, no-store"
    assert (await anna.browser.get("/api/alarms")).json() == {"alarms": [expected]}
    # The alert is replaced as a whole.
    answer = await anna.browser.put(path, json={**ALARM, "leadHours": 100, "model": "gfs"})
    assert (answer.json()["follows"], "quiet" in answer.json()) == ("gfs", False)
    assert (await anna.browser.delete(path)).status_code == 204
    assert await anna.browser.code("DELETE", path) == (404, "not_found")
    assert (await anna.browser.get("/api/alarms")).json() == {"alarms": []}


NONSENSE: list[tuple[dict[str, Any], str]] = [
    ({"windMax": 10}, "invalid_alarm"),
    ({"gustMax": 10}, "invalid_alarm"),
    ({"quiet": {"from": 0, "to": 24}}, "invalid_alarm"),
    ({"model": "magic"}, "model_unavailable"),
    ({"windMin": -1}, "invalid_request"),
    ({"weekdays": []}, "invalid_request"),
    ({"weekdays": [0]}, "invalid_request"),
    ({"weekdays": [1] * 8}, "invalid_request"),
    ({"hours": {"from": 24, "to": 3}}, "invalid_request"),
    ({"leadHours": 169}, "invalid_request"),
    ({"leadHours": 2.5}, "invalid_request"),
    ({"minHours": 0}, "invalid_request"),
    ({"directions": [{"from": 0, "to": 90}] * 17}, "invalid_request"),
    ({"rainMax": -0.1}, "invalid_request"),
    ({"temperatureMin": 51}, "invalid_request"),
    ({"temperatureMin": 7.5}, "invalid_request"),
    ({"channels": {}}, "invalid_request"),
    ({"channels": None}, "invalid_request"),
]


async def test_invalid_alerts_are_rejected(anna: SignedInUser) -> None:
    favorite = await add_spot(anna)
    path = f"/api/alarms/{favorite}"
    for change, code in NONSENSE:
        body = ALARM | change
        assert await anna.browser.code("PUT", path, json=body) == (400, code), change
        preview = {"favorite": favorite, "alarm": body}
        assert await anna.browser.code("POST", "/api/alarms/preview", json=preview) == (400, code)
    json = {"content-type": "application/json"}
    for text in ('{"windMin": 1e999}', "[" * 100_000, '"\\ud800"', "\x00"):
        status, _ = await anna.browser.code("PUT", path, content=text, headers=json)
        assert status == 400, text[:20]
    assert (await anna.browser.get("/api/alarms")).json() == {"alarms": []}


def mild_breeze(folder: Path) -> int:
    """Add a run of ICON-D2 with 18 knots everywhere, rain in its second day and 9 degrees."""
    run = int(time.time()) // (3 * HOUR) * 3 * HOUR
    numbers = np.zeros((49, len(CHANNELS), EUROPE.points), np.int16)
    numbers[:, 0], numbers[:, 2] = 1800, 2300
    numbers[:, CHANNELS.index("temperature")] = 900
    rain = np.clip(np.arange(49) - 24, 0, None)
    numbers[:, CHANNELS.index("precipitation")] = 20 * rain[:, None]
    finished_run(folder / "grids", EUROPE, numbers, model="icon-d2", run=run, channels=CHANNELS)
    return run


async def test_alert_has_conditions_on_rain_and_temperature(tmp_path: Path) -> None:
    run = mild_breeze(tmp_path)
    async with quiet(tmp_path) as site:
        anna = await signed_in_user(site)
        favorite = await add_spot(anna)
        alarm = {**ALARM, "leadHours": 48, "rainMax": 0, "temperatureMin": 8}
        answer = await anna.browser.put(f"/api/alarms/{favorite}", json=alarm)
        assert answer.status_code == 200, answer.text
        assert {**answer.json(), **alarm} == answer.json()
        (listed,) = (await anna.browser.get("/api/alarms")).json()["alarms"]
        assert (listed["rainMax"], listed["temperatureMin"]) == (0, 8)

        async def preview(change: dict[str, Any]) -> dict[str, Any]:
            body = {"favorite": favorite, "alarm": alarm | change}
            answer = await anna.browser.post("/api/alarms/preview", json=body)
            shown: dict[str, Any] = answer.json()
            return shown

        found = await preview({})
        assert [each["end"] for each in found["windows"]] == [run + 24 * HOUR]
        assert "unchecked" not in found
        assert (await preview({"temperatureMin": 10}))["windows"] == []
        (whole,) = (await preview({"rainMax": None}))["windows"]
        assert whole["end"] > run + 40 * HOUR


async def test_preview_names_conditions_that_the_model_cannot_meet(anna: SignedInUser) -> None:
    favorite = await add_spot(anna)
    alarm = {**ALARM, "model": "icon-eu", "rainMax": 0, "temperatureMin": 30}
    body = {"favorite": favorite, "alarm": alarm}
    found = (await anna.browser.post("/api/alarms/preview", json=body)).json()
    # The run has wind only.
    assert found["unchecked"] == ["rain", "temperature"] and found["windows"]


async def test_alerts_of_other_users_are_not_found(site: Client, anna: SignedInUser) -> None:
    favorite = await add_spot(anna)
    assert (await anna.browser.put(f"/api/alarms/{favorite}", json=ALARM)).status_code == 200
    bob = await signed_in_user(site, "Bob")
    for number in (favorite, 999, 2**70):
        path = f"/api/alarms/{number}"
        assert await bob.browser.code("PUT", path, json=ALARM) == (404, "not_found")
        assert await bob.browser.code("DELETE", path) == (404, "not_found")
        body = {"favorite": number, "alarm": ALARM}
        assert await bob.browser.code("POST", "/api/alarms/preview", json=body) == (
            404,
            "not_found",
        )
    assert (await bob.browser.get("/api/alarms")).json() == {"alarms": []}
    assert len((await anna.browser.get("/api/alarms")).json()["alarms"]) == 1
    for path in ("/api/alarms", "/api/alarms/history"):
        assert await site.code("GET", path) == (401, "signed_out")


async def test_test_messages_are_rate_limited(anna: SignedInUser, box: Mailbox) -> None:
    body = {"channels": {"push": True, "email": True}}
    for _ in range(5):
        answer = await anna.browser.post("/api/alarms/test", json=body)
        assert answer.status_code == 200, answer.text
        push, mail = answer.json()["results"]
        assert push == {"channel": "push", "ok": False, "error": {"code": "no_devices"}}
        assert mail == {"channel": "email", "ok": True}
        assert (await box.next())["Subject"] == "Test message"
    assert await anna.browser.code("POST", "/api/alarms/test", json=body) == (
        429,
        "too_many_requests",
    )


async def test_unconfirmed_address_gets_no_mail(site: Client, box: Mailbox) -> None:
    bob = await signed_in_user(site, "Bob")
    body = {"channels": {"push": False, "email": True}}
    answer = await bob.browser.post("/api/alarms/test", json=body)
    (mail,) = answer.json()["results"]
    assert (mail["ok"], mail["error"]) == (False, {"code": "email_unconfirmed"})
    assert box.tried == 0
    none = {"channels": {"push": False, "email": False}}
    assert await bob.browser.code("POST", "/api/alarms/test", json=none) == (400, "no_channel")


async def test_forecast_leads_to_push_and_mail(
    site: Client, anna: SignedInUser, box: Mailbox
) -> None:
    favorite = await add_spot(anna)
    async with push_service() as service:
        phone = service.browser("phone")
        assert (
            await anna.browser.post("/api/push/subscriptions", json=phone.subscription())
        ).status_code == 204
        body = {**ALARM, "model": "icon-eu"}
        assert (await anna.browser.put(f"/api/alarms/{favorite}", json=body)).status_code == 200
        for name in ("alarms", "alarm push", "alarm mails") * 2:
            await run_loop(site, name)
        (pushed,) = phone.received
    assert pushed.payload["title"] == "Kite Nord"
    assert "18 kn from W" in pushed.payload["body"] and "ICON-EU" in pushed.payload["body"]
    mail = await box.next()
    assert box.empty and mail["X-To"] == "anna@example.org"
    assert "18 kn from W" in text_of(mail)
    (entry,) = (await anna.browser.get("/api/alarms/history")).json()["entries"]
    assert [each["state"] for each in entry["messages"]] == ["sent", "sent"]
    (alarm,) = (await anna.browser.get("/api/alarms")).json()["alarms"]
    assert alarm["lastSent"] >= entry["foundAt"]
    await one_click(site, anna, str(mail["List-Unsubscribe"]), mail["List-Unsubscribe-Post"])
    report = await service_of(site, Alerts).report()
    assert (report.alarms, report.enabled, report.messages) == (1, 1, {"sent": 2})
    assert [(each.model, each.alarms, each.told) for each in report.evaluations] == [
        ("icon-eu", 1, 1)
    ]


async def one_click(site: Client, anna: SignedInUser, header: str, post: str) -> None:
    """Unsubscribe like a mail client: without cookies, with a form."""
    assert post == "List-Unsubscribe=One-Click"
    path = header.strip("<>").removeprefix("http://localhost:8450")
    for _ in range(2):
        answer = await site.post(
            path,
            content=post,
            headers={"content-type": "application/x-www-form-urlencoded"},
        )
        assert (answer.status_code, answer.content) == (204, b"")
    (alarm,) = (await anna.browser.get("/api/alarms")).json()["alarms"]
    assert alarm["channels"] == {"push": True, "email": False, "messenger": False}
    # Scanners open links: a GET request changes nothing.
    page = await site.get(path)
    assert page.status_code == 302
    assert page.headers["location"].startswith("../../unsubscribe?token=")


async def test_forged_unsubscribe_link_is_rejected(site: Client, anna: SignedInUser) -> None:
    favorite = await add_spot(anna)
    await anna.browser.put(f"/api/alarms/{favorite}", json=ALARM)
    good = service_of(site, UnsubscribeTokens).make(UnsubscribeTarget(favorite, anna.id))
    other = service_of(site, UnsubscribeTokens).make(UnsubscribeTarget(favorite, anna.id + 1))
    path = "/api/alarms/unsubscribe"
    for token in ("", "x", "-", "\u0661-1-abc", good[:-1], f"1{good}", "9" * 5000, "1-1-\ud7ff"):
        refused = await site.code("POST", path, params={"token": token})
        assert refused == (400, "link_invalid"), token
    assert await site.code("POST", path) == (400, "invalid_request")
    # Of a former owner of the spot id.
    assert (await site.post(path, params={"token": other})).status_code == 204
    (alarm,) = (await anna.browser.get("/api/alarms")).json()["alarms"]
    assert alarm["channels"]["email"] is True


@pytest.mark.parametrize("left", [b"", b"half of a key"])
async def test_truncated_signing_key_is_replaced(tmp_path: Path, left: bytes) -> None:
    (tmp_path / KEY_FILE).write_bytes(left)
    text = "7-3"
    signature = hmac.new(left, f"unsubscribe {text}".encode(), "sha256").hexdigest()[:40]
    tokens = UnsubscribeTokens(tmp_path)
    with pytest.raises(AppError, match="link_invalid"):
        tokens.read(f"{text}-{signature}")
    # The key survives a restart.
    assert UnsubscribeTokens(tmp_path).read(
        tokens.make(UnsubscribeTarget(7, 3))
    ) == UnsubscribeTarget(7, 3)
    assert (tmp_path / KEY_FILE).stat().st_mode & 0o777 == 0o600


async def test_alerts_are_part_of_the_export(site: Client, anna: SignedInUser) -> None:
    favorite = await add_spot(anna)
    await anna.browser.put(f"/api/alarms/{favorite}", json=ALARM)

    def long_ago(tx: Tx) -> None:
        found = [KnownWindow(hour * HOUR, hour * HOUR, (hour + 1) * HOUR) for hour in range(450)]
        save_windows(tx.conn, [(favorite, each) for each in found])
        updates = [
            WindowUpdate(each, AlertWindow(each.start, each.end, 15, 20, None, 0)) for each in found
        ]
        add_messages(
            tx.conn, [Announcement(favorite, ("push",), each) for each in updates], "gfs", 0, 0
        )

    await site.started.kernel.db.write(long_ago)
    everything = (await anna.browser.get("/api/me/export")).json()
    assert everything["alarms"]["alarms"][0]["favorite"] == favorite
    assert len(everything["alarms"]["history"]) == 450
