"""Notifications are sent once, without revealing secrets."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quartet.sync.notices import texts
from quartet.sync.notices.service import Notices
from tests.inbox import Inbox, inbox_server
from tests.push_service import push_service
from tests.sync.running_app import RunningApp, running_app, until

# From a module that Apprise loads.
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:.imghdr. is deprecated:DeprecationWarning"),
]


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    with inbox_server() as inbox:
        yield inbox


def notices(app: RunningApp) -> Notices:
    found = app.started.built.dependencies["notices"]
    assert isinstance(found, Notices)
    return found


async def put(app: RunningApp, **settings: Any) -> Any:
    answer = await app.admin.put("/api/notices", json=settings)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_urls_are_masked_and_kept(data: Path, inbox: Inbox) -> None:
    async with running_app(data, allow_private_addresses=True) as app:
        shown = await put(app, targets=[{"name": "me", "url": inbox.url}])
        hidden = shown["targets"][0]["url"]
        assert "hunter2" not in str(shown)
        assert await put(app, targets=[{"name": "I", "url": hidden}], language="de")
        await app.post("/api/notices/test", {"url": hidden})
        assert [each["message"] for each in inbox.posted] == ["Dies ist eine Testnachricht."]
        unknown = {"targets": [{"name": "x", "url": "json://…abcd"}]}
        refused = await app.refused("PUT", "/api/notices", json=unknown)
        assert refused == (400, "notification_address_unknown")
        inbox.answer = 500
        refused = await app.refused("POST", "/api/notices/test", json={"url": hidden})
        assert refused == (502, "notification_not_sent")
    async with running_app(data, allow_private_addresses=True) as app:
        assert (await app.get("/api/notices"))["targets"][0]["url"] == hidden


async def test_forbidden_urls_are_rejected(app: RunningApp, inbox: Inbox) -> None:
    for url, code in (
        (inbox.url, "notification_address_forbidden"),
        ("json://[::ffff:127.0.0.1]/", "notification_address_forbidden"),
        ("syslog://", "notification_address_invalid"),
        ("nothing", "notification_address_invalid"),
    ):
        _, found = await app.refused("POST", "/api/notices/test", json={"url": url})
        assert found == code, url
    assert inbox.posted == []


async def test_conflicts_and_errors_are_combined_in_one_message(data: Path, inbox: Inbox) -> None:
    async with running_app(data, allow_private_addresses=True) as app:
        await put(app, targets=[{"name": "me", "url": inbox.url}])
        activity: Any = app.started.built.dependencies["activity"]
        activity.record("conflict", "conflict_found", folder="Notes", path="a.txt")
        activity.record("changed", "files_changed", folder="Notes", device="x", count=3)
        for number in range(30):
            activity.record("error", "hub_error", reason=f"reason_{number}")
        await notices(app).send()
        [message] = inbox.posted
        lines = message["message"].splitlines()
        assert lines[:2] == ["Conflict in Notes: a.txt", "Error on the hub: reason_0"]
        assert (len(lines), lines[-1]) == (21, "and 11 more")
        await put(app, targets=[{"name": "me", "url": inbox.url}], conflicts=False, errors=False)
        activity.record("conflict", "conflict_found", folder="Notes", path="a.txt")
        assert not notices(app).pending.is_set()


async def test_offline_device_is_reported_once(data: Path, inbox: Inbox) -> None:
    async with running_app(data, allow_private_addresses=True) as app:
        await put(app, targets=[{"name": "me", "url": inbox.url}], offlineMinutes=5)
        device, agent = await app.device()
        await notices(app).check_offline_devices()
        await agent.leave()

        async def gone() -> bool:
            return not (await app.shown(device))["online"]

        await until(gone)
        await notices(app).check_offline_devices()
        assert not notices(app).pending.is_set()
        reports: Any = app.started.built.dependencies["live"]
        reports._reports.of(device).last_seen = int(time.time()) - 600
        for _ in range(3):
            await notices(app).check_offline_devices()
        await notices(app).send()
        [message] = inbox.posted
        assert message["message"] == "laptop has been offline for 5 minutes."


async def test_conflicts_reach_subscribed_browsers(data: Path) -> None:
    async with running_app(data, allow_private_addresses=True) as app, push_service() as service:
        phone = service.browser("phone")
        await app.post("/api/push/subscriptions", phone.subscription())
        activity: Any = app.started.built.dependencies["activity"]
        activity.record("conflict", "conflict_found", folder="Notes", path="a.txt")
        await notices(app).send()
        (received,) = phone.received
        assert (received.payload["title"], received.payload["body"]) == (
            "Sync",
            "Conflict in Notes: a.txt",
        )


def test_reasons_are_written_out() -> None:
    where = {"device": "nas", "folder": "Notes"}
    known = {**where, "reason": "not_writable", "details": {"path": "/notes"}}
    assert texts.line("device_folder_error", known, "de") == (
        "Fehler auf nas in Notes: /notes ist nicht beschreibbar"
    )
    # A reason without its inputs, or one that only the log explains.
    for reason in ("not_writable", "not_applied"):
        told = texts.line("device_folder_error", {**where, "reason": reason}, "en")
        assert told == f"Error on nas in Notes: {reason}"


def test_texts_use_same_inputs_in_both_languages() -> None:
    names = ("device", "folder", "path", "count", "reason", "minutes", "hub")
    inputs = {name: number for number, name in enumerate(names)}
    for code in texts._TEXTS:
        one, two = (texts.line(code, inputs, language) for language in ("en", "de"))
        assert [char for char in one if char.isdigit()]
        assert sorted(char for char in one if char.isdigit()) == sorted(
            char for char in two if char.isdigit()
        )
