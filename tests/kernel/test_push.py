"""Notifications in browsers, as every service without accounts has them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quartet.kernel.push.notices import BrowserNotices
from tests.client import Client, client_at
from tests.downloads.conftest import USER, logged_in
from tests.push_service import PushService, count_subscriptions, status, subscribe

pytestmark = pytest.mark.anyio
PATH = "/api/push/subscriptions"


@pytest.fixture
async def laptop(tmp_path: Path, push_server: PushService) -> AsyncIterator[Client]:
    async with logged_in(tmp_path) as client:
        await subscribe(client, push_server.browser("laptop"))
        yield client


def notices(client: Client) -> BrowserNotices:
    found = client.started.built.dependencies["browser_notices"]
    assert isinstance(found, BrowserNotices)
    return found


async def test_lines_arrive_as_one_readable_message(
    laptop: Client, push_server: PushService
) -> None:
    lines = ["x" * 1000, *(f"Finished: {number}" for number in range(9))]
    await notices(laptop).send_lines(lines, "de", "/captchas")
    await notices(laptop).send_lines([], "de")
    (received,) = push_server.browsers["laptop"].received
    assert (received.payload["title"], received.payload["url"]) == ("Downloads", "/captchas")
    shown = received.payload["body"].splitlines()
    assert shown[0] == "x" * 159 + "…"
    assert (len(shown), shown[-1]) == (6, "und 5 weitere")
    assert received.sender == (await laptop.get("/api/push")).json()["publicKey"]


async def test_test_message_says_whether_a_browser_was_reached(
    laptop: Client, push_server: PushService
) -> None:
    assert (await laptop.post("/api/push/test", json={})).status_code == 204
    (received,) = push_server.browsers["laptop"].received
    assert received.payload["body"] == "This is a test message."
    push_server.browsers["laptop"].answer = status(410)
    refused = await laptop.code("POST", "/api/push/test", json={})
    assert (refused, await count_subscriptions(laptop)) == ((502, "push_not_sent"), 0)


async def test_subscription_ends_with_the_session(laptop: Client, push_server: PushService) -> None:
    async with client_at(laptop.started) as phone:
        assert await phone.code("POST", PATH, json={}) == (401, "signed_out")
        await phone.post("/api/auth/login", json=USER)
        await subscribe(phone, push_server.browser("phone"))
        assert await count_subscriptions(laptop) == 2
        await phone.post("/api/auth/logout")
    assert await count_subscriptions(laptop) == 1
    await notices(laptop).send_lines(["Finished: a"], "en")
    assert len(push_server.browsers["laptop"].received) == 1
    assert push_server.browsers["phone"].tries == 0
    assert (await laptop.request("DELETE", PATH, json={})).status_code == 204
    assert await count_subscriptions(laptop) == 0
    assert await laptop.code("POST", "/api/push/test", json={}) == (409, "no_subscription")


async def test_private_endpoints_are_refused(tmp_path: Path, push_server: PushService) -> None:
    body = push_server.browser("inside").subscription()
    async with logged_in(tmp_path, allow_private_addresses=False) as ada:
        assert await ada.code("POST", PATH, json=body) == (400, "bad_address")
        body["endpoint"] = "https://127.0.0.1:1/x"
        assert await ada.code("POST", PATH, json=body) == (400, "address_forbidden")
        # A name is resolved when a message is sent, because its address can change.
        body["endpoint"] = (
            push_server.browsers["inside"]
            .endpoint.replace("http", "https")
            .replace("127.0.0.1", "localhost")
        )
        assert (await ada.post(PATH, json=body)).status_code == 204
        assert await ada.code("POST", "/api/push/test", json={}) == (502, "push_not_sent")
    assert push_server.browsers["inside"].tries == 0
