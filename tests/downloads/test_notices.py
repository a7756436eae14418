"""Notifications are sent once, and their addresses are not shown."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quartet.downloads.captchas.service import Captchas
from quartet.downloads.captchas.types import Question
from quartet.downloads.notices.service import Notices
from tests.client import Client
from tests.downloads.api_calls import add, until_all
from tests.downloads.conftest import logged_in
from tests.downloads.server import FileServer
from tests.inbox import Inbox, inbox_server
from tests.push_service import push_service

# Raised by a module that Apprise imports.
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:.imghdr. is deprecated:DeprecationWarning"),
]


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    with inbox_server() as inbox:
        yield inbox


async def put(client: Client, *targets: dict[str, Any], **more: Any) -> dict[str, Any]:
    answer = await client.put("/api/notices", json={"targets": targets, **more})
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def refused(client: Client, url: str) -> str:
    answer = await client.post("/api/notices/test", json={"url": url})
    code: str = answer.json()["code"]
    return code


def notices(client: Client) -> Notices:
    found = client.started.built.dependencies["notices"]
    assert isinstance(found, Notices)
    return found


async def test_addresses_are_masked_and_kept(tmp_path: Path, inbox: Inbox) -> None:
    async with logged_in(tmp_path) as ada:
        shown = await put(ada, {"name": "me", "url": inbox.url})
        assert "hunter2" not in str(shown)
        hidden = shown["targets"][0]["url"]
        await put(ada, {"name": "I", "url": hidden, "occasions": ["failed"]}, language="de")
        answer = await ada.post("/api/notices/test", json={"url": hidden})
        assert (answer.status_code, inbox.messages) == (204, ["Dies ist eine Testnachricht."])
        inbox.answer = 500
        assert await refused(ada, hidden) == "notification_not_sent"
        assert await refused(ada, "json://…abcd") == "notification_address_unknown"
        assert await refused(ada, "syslog://") == "notification_address_invalid"
    async with logged_in(tmp_path, allow_private_addresses=False) as ada:
        kept = (await ada.get("/api/notices")).json()["targets"]
        assert kept == [{"name": "I", "url": hidden, "occasions": ["failed"]}]
        assert await refused(ada, hidden) == "notification_address_forbidden"


async def test_each_event_is_sent_once(ada: Client, server: FileServer, inbox: Inbox) -> None:
    await add(ada, server.url("gone-before"), start=True)
    await until_all(ada, "failed")
    await put(ada, {"url": inbox.url})
    await add(ada, server.put("a", b"a"), server.put("b", b"b"), packageName="Two", start=True)
    await add(ada, server.url("gone"), packageName="One", start=True)
    await until_all(ada, "finished", "failed")
    await notices(ada).check()
    (message,) = inbox.messages
    assert message.splitlines() == ["Failed: gone (file_offline)", "Finished: Two"]
    await notices(ada).check()
    assert len(inbox.messages) == 1


async def test_questions_and_full_disks_are_reported(
    ada: Client, server: FileServer, inbox: Inbox
) -> None:
    only = {"url": inbox.url, "occasions": ["captcha", "disk_full"]}
    await put(ada, only, language="de")
    captchas = ada.started.built.dependencies["captchas"]
    assert isinstance(captchas, Captchas)
    asking = asyncio.create_task(captchas.ask(Question(kind="password", name="x.rar")))
    await add(ada, server.put("a", b"a"), start=True)
    await until_all(ada, "finished")
    full = (
        """UPDATE downloads SET status = 'paused', error = '{"code": "no_space", "inputs": {}}'"""
    )
    await ada.started.kernel.db.write(lambda tx: tx.conn.exec_driver_sql(full))
    await notices(ada).check()
    asking.cancel()
    (message,) = inbox.messages
    assert message.splitlines() == [
        "Captcha wartet: x.rar",
        "Datenträger voll, pausiert: a",
    ]


async def test_failing_target_does_not_affect_others(
    ada: Client, server: FileServer, inbox: Inbox
) -> None:
    await put(ada, {"url": "json://127.0.0.1:1/nobody"}, {"url": inbox.url})
    await add(ada, server.put("a", b"a"), packageName="One", start=True)
    await until_all(ada, "finished")
    await notices(ada).check()
    assert inbox.messages == ["Finished: One"]


async def test_events_reach_subscribed_browsers_once(ada: Client, server: FileServer) -> None:
    async with push_service() as service:
        phone = service.browser("phone")
        await ada.post("/api/push/subscriptions", json=phone.subscription())
        await add(ada, server.put("a", b"a"), packageName="One", start=True)
        await until_all(ada, "finished")
        await notices(ada).check()
        await notices(ada).check()
        assert [one.payload["body"] for one in phone.received] == ["Finished: One"]
