"""Push subscriptions and their validation."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from quartet.kernel.db import Tx
from quartet.kernel.push import store
from quartet.kernel.push.types import PushMessage
from quartet.wind.accounts import store as accounts
from quartet.wind.assembly.push import build_push
from quartet.wind.push.tables import subscriptions
from tests.client import Client
from tests.push_service import Browser, PushService, count_subscriptions
from tests.wind.quiet import quiet
from tests.wind.signed_in_users import SignedInUser, signed_in_user

PATH = "/api/push/subscriptions"
SERVICE = PushService("https://push.example.org")


def subscription(name: str = "firefox", **changes: Any) -> dict[str, Any]:
    return Browser(SERVICE, name).subscription() | changes


@pytest.mark.anyio
async def test_subscription_moves_to_the_account_that_used_the_browser_last(
    site: Client, anna: SignedInUser
) -> None:
    ben = await signed_in_user(site, "Ben")
    mine = subscription()
    for _ in range(2):
        assert (await anna.browser.post(PATH, json=mine)).status_code == 204
    assert [await count_subscriptions(each.browser) for each in (anna, ben)] == [1, 0]
    await ben.browser.post(PATH, json=mine)
    assert [await count_subscriptions(each.browser) for each in (anna, ben)] == [0, 1]
    # It is no longer hers, so she cannot end it.
    body = {"endpoint": mine["endpoint"]}
    assert (await anna.browser.request("DELETE", PATH, json=body)).status_code == 204
    assert await count_subscriptions(ben.browser) == 1
    assert (await ben.browser.request("DELETE", PATH, json=body)).status_code == 204
    assert await count_subscriptions(ben.browser) == 0


@pytest.mark.anyio
async def test_all_subscriptions_can_be_ended_at_once(anna: SignedInUser) -> None:
    for name in ("a", "b", "c"):
        await anna.browser.post(PATH, json=subscription(name))
    assert (await anna.browser.request("DELETE", PATH, json={})).status_code == 204
    assert await count_subscriptions(anna.browser) == 0


async def race(site: Client) -> None:
    anna = await signed_in_user(site)
    bodies = [subscription(f"browser-{number}") for number in range(20)]
    answers = await asyncio.gather(*(anna.browser.post(PATH, json=body) for body in bodies))
    assert sorted(each.status_code for each in answers) == [204] * 10 + [422] * 10
    assert await count_subscriptions(anna.browser) == 10
    # An existing one can be renewed.
    taken = bodies[[each.status_code for each in answers].index(204)]
    assert (await anna.browser.post(PATH, json=taken)).status_code == 204
    refused = await anna.browser.code("POST", PATH, json=subscription("one-more"))
    assert refused == (422, "too_many_subscriptions")


@pytest.mark.anyio
async def test_more_than_ten_browsers_are_rejected(site: Client) -> None:
    await race(site)


@pytest.mark.anyio
async def test_subscription_limit_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    async with quiet(tmp_path, database_url=postgres_url) as site:
        await race(site)
        people = [await signed_in_user(site, name) for name in ("Ben", "Carla", "Dora")]
        same = subscription("shared")
        await asyncio.gather(*(each.browser.post(PATH, json=same) for each in people))
        assert sum([await count_subscriptions(each.browser) for each in people]) == 1


@pytest.mark.anyio
async def test_subscriptions_are_deleted_with_the_account(site: Client, anna: SignedInUser) -> None:
    await anna.browser.post(PATH, json=subscription())
    db = site.started.kernel.db
    await db.write(lambda tx: accounts.remove(tx.conn, anna.id))
    assert (await db.read(store.counts, subscriptions)).subscriptions == 0


@pytest.mark.anyio
async def test_invalid_endpoints_are_rejected(anna: SignedInUser) -> None:
    for endpoint in (
        "",
        "http://push.example.org/x",
        "ftp://push.example.org/x",
        "file:///etc/passwd",
        "https://",
        "https://user:secret@push.example.org/x",
        "https://push.example.org:99999/x",
        "https://push.example.org:0/x",
        "https://push.example.org/a b",
        "https://push.example.org/\r\nHost: x",
        "https://push.example.org/\0",
        "https://[::1]/x",
        "https://push.example.org/#x",
        "https://push.example.org/" + "x" * 2000,
    ):
        code = await anna.browser.code("POST", PATH, json=subscription(endpoint=endpoint))
        assert code == (400, "bad_address"), endpoint
    for endpoint in (
        "https://127.0.0.1/x",
        "https://10.0.0.1/x",
        "https://169.254.169.254/latest",
        "https://0x7f.1/x",
        "https://2130706433/x",
        "https://192.168.1.1:8443/x",
    ):
        code = await anna.browser.code("POST", PATH, json=subscription(endpoint=endpoint))
        assert code == (400, "address_forbidden"), endpoint
    assert await count_subscriptions(anna.browser) == 0


@pytest.mark.anyio
async def test_invalid_keys_are_rejected(anna: SignedInUser) -> None:
    good = subscription()["keys"]
    for keys in (
        {**good, "p256dh": ""},
        {**good, "p256dh": good["p256dh"][:-4]},
        {**good, "p256dh": "A" * 87},
        {**good, "p256dh": "ü" * 87},
        {**good, "p256dh": "A" * 100_000},
        {**good, "auth": ""},
        {**good, "auth": "AAAA"},
        {**good, "auth": good["auth"] + "AAAA"},
    ):
        code = await anna.browser.code("POST", PATH, json=subscription(keys=keys))
        assert code == (400, "invalid_subscription"), keys
    assert await anna.browser.code("POST", PATH, json={"endpoint": "https://x.org"}) == (
        400,
        "invalid_request",
    )


@pytest.mark.anyio
async def test_host_name_resolving_to_private_address_is_not_contacted(
    site: Client, anna: SignedInUser
) -> None:
    """Host names are resolved when a message is sent, because they can change."""
    kernel = site.started.kernel
    inside = subscription(endpoint="https://localhost:1/x")
    assert (await anna.browser.post(PATH, json=inside)).status_code == 204
    stale = {
        "user_id": anna.id,
        "endpoint": "http://127.0.0.1:1/x",
        "created_at": 0,
        **subscription()["keys"],
    }

    def work(tx: Tx) -> None:
        store.put(tx.conn, subscriptions, stale)

    # As if private addresses had been allowed when it was created.
    await kernel.db.write(work)
    hello = PushMessage(title="a", body="b", url="/", tag="c")
    sent = await build_push(kernel)[0].send(anna.id, hello)
    assert (sent.delivered, sent.failed, sent.retry) == (0, 2, ())
