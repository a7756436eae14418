"""Push messages: delivery, failures and expired subscriptions."""

import asyncio
import time
from base64 import urlsafe_b64decode
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from quartet.kernel.errors import AppError
from quartet.kernel.push.build import vapid_contact
from quartet.kernel.push.service import Push
from quartet.kernel.push.types import PushMessage
from quartet.wind.assembly.push import build_push
from tests.client import Client
from tests.push_service import (
    Browser,
    PushService,
    count_subscriptions,
    status,
    subscribe,
)
from tests.wind.quiet import quiet
from tests.wind.signed_in_users import SignedInUser, signed_in_user

HELLO = PushMessage(
    title="Laboe",
    body="15 kn from W \u2014 from 14:00",
    url="/spots",
    tag="spot-1",
    topic="spot 1 today",
)


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Client]:
    async with quiet(tmp_path, allow_private_addresses=True) as client:
        yield client


@pytest.fixture
async def anna(site: Client) -> SignedInUser:
    return await signed_in_user(site)


@pytest.fixture
def push(site: Client) -> Push:
    """A push service with the database and key of the site."""
    return build_push(site.started.kernel)[0]


@pytest.mark.anyio
async def test_message_is_readable_only_by_the_browser(
    anna: SignedInUser, push: Push, push_server: PushService
) -> None:
    firefox = push_server.browser("firefox")
    await subscribe(anna.browser, firefox)
    sent = await push.send(anna.id, HELLO)
    assert (sent.delivered, sent.removed, sent.failed, sent.retry) == (1, 0, 0, ())
    (received,) = firefox.received
    assert received.payload == {
        "title": HELLO.title,
        "body": HELLO.body,
        "url": "/spots",
        "tag": "spot-1",
    }
    assert received.headers["TTL"] == "86400"
    assert received.headers["Urgency"] == "high"
    topic = received.headers["Topic"]
    assert len(topic) == 32 and len(urlsafe_b64decode(topic)) == 24
    shown = (await anna.browser.get("/api/push")).json()
    assert shown == {"publicKey": received.sender, "email": False, "subscriptions": 1}
    assert received.claims["sub"].startswith("mailto:")
    assert time.time() < received.claims["exp"] <= time.time() + 86400


@pytest.mark.anyio
async def test_key_is_created_once_and_private(
    site: Client, anna: SignedInUser, push: Push
) -> None:
    keys = await asyncio.gather(*(push.public_key() for _ in range(8)))
    assert len(set(keys)) == 1 and len(keys[0]) == 87
    assert (await anna.browser.get("/api/push")).json()["publicKey"] == keys[0]
    file = site.started.kernel.settings.data / "keys" / "vapid.pem"
    assert file.stat().st_mode & 0o777 == 0o600
    load_pem_private_key(file.read_bytes(), password=None)


@pytest.mark.anyio
async def test_longest_message_fits_and_longer_one_is_rejected(
    anna: SignedInUser, push: Push, push_server: PushService
) -> None:
    firefox = push_server.browser("firefox")
    await subscribe(anna.browser, firefox)
    around = len('{"title":"","body":"","url":"","tag":""}')
    longest = PushMessage(title="", body="x" * (3993 - around), url="", tag="")
    assert (await push.send(anna.id, longest)).delivered == 1
    assert firefox.received[0].body_bytes == 4096
    with pytest.raises(AppError, match="too_large"):
        await push.send(anna.id, PushMessage(title="", body=longest.body + "x", url="", tag=""))
    assert firefox.tries == 1


@pytest.mark.anyio
async def test_gone_browser_is_removed_and_busy_one_retried(
    anna: SignedInUser, push: Push, push_server: PushService
) -> None:
    well = push_server.browser("well")
    busy = push_server.browser("busy", status(429, retry_after="120"))
    broken = push_server.browser("broken", status(503))
    refusing = push_server.browser("refusing", status(403))
    for browser in (
        well,
        busy,
        broken,
        refusing,
        push_server.browser("gone", status(410)),
        push_server.browser("unknown", status(404)),
    ):
        await subscribe(anna.browser, browser)
    sent = await push.send(anna.id, HELLO)
    assert (sent.delivered, sent.removed, sent.failed) == (1, 2, 3)
    assert (len(sent.retry), sent.retry_after) == (2, 120)
    assert await count_subscriptions(anna.browser) == 4
    counts = await push.counts()
    assert (counts.subscriptions, counts.accounts, counts.failing) == (4, 1, 3)
    busy.answer = broken.answer = None
    again = await push.send(anna.id, HELLO, only=sent.retry)
    assert (again.delivered, again.retry) == (2, ())
    assert (len(well.received), len(busy.received), refusing.tries) == (1, 1, 1)
    assert (await push.counts()).failing == 1


@pytest.mark.anyio
async def test_browser_unreachable_for_a_month_is_removed(
    site: Client, anna: SignedInUser, push: Push, push_server: PushService
) -> None:
    await subscribe(anna.browser, push_server.browser("refusing", status(400)))
    assert (await push.send(anna.id, HELLO)).failed == 1
    kernel = site.started.kernel
    later, _ = build_push(kernel, clock=lambda: time.time() + 31 * 86400)
    assert (await later.send(anna.id, HELLO)).removed == 1
    assert await count_subscriptions(anna.browser) == 0


@pytest.mark.anyio
async def test_redirects_are_not_followed(
    anna: SignedInUser, push: Push, push_server: PushService
) -> None:
    other = push_server.browser("other")
    await subscribe(
        anna.browser, push_server.browser("moved", status(307, location=other.endpoint))
    )
    assert (await push.send(anna.id, HELLO)).failed == 1
    assert other.tries == 0


@pytest.mark.anyio
async def test_fifty_dead_endpoints_do_not_delay_others(
    site: Client, push: Push, push_server: PushService
) -> None:
    """Five users with ten dead browsers each, and one with a working browser."""
    people = [await signed_in_user(site, f"Rider {number}") for number in range(6)]
    for person in people[:5]:
        for number in range(10):
            dead = Browser(push_server, f"dead-{person.id}-{number}")
            await subscribe(person.browser, dead)
    alive = push_server.browser("alive")
    await subscribe(people[5].browser, alive)
    sent = await asyncio.gather(*(push.send(person.id, HELLO) for person in people))
    assert [each.removed for each in sent] == [10] * 5 + [0]
    assert len(alive.received) == 1
    assert (await push.counts()).subscriptions == 1
    # Dead endpoints are not tried again.
    again = await asyncio.gather(*(push.send(person.id, HELLO) for person in people))
    assert sum(each.removed + each.failed for each in again) == 0


@pytest.mark.anyio
async def test_endless_response_of_push_service_is_aborted(
    anna: SignedInUser, push: Push, push_server: PushService
) -> None:
    async def endless(_request: web.Request) -> web.StreamResponse:
        return web.Response(status=201, body=b"x" * 1_000_000)

    await subscribe(anna.browser, push_server.browser("endless", endless))
    sent = await push.send(anna.id, HELLO)
    assert (sent.delivered, sent.failed) == (0, 1)


@pytest.mark.anyio
async def test_new_key_removes_all_subscriptions(
    anna: SignedInUser, push: Push, push_server: PushService
) -> None:
    await subscribe(anna.browser, push_server.browser("firefox"))
    before = await push.public_key()
    assert await push.new_key() == 1
    assert await push.public_key() != before
    assert (await push.counts()).subscriptions == 0


def test_vapid_contact() -> None:
    assert vapid_contact("https://wind.example.org:8443/x") == "https://wind.example.org"
    assert vapid_contact("http://wind.example.org") == "mailto:push@wind.example.org"
    for address in (None, "http://localhost:8450", "https://box", "https://[::1]"):
        assert vapid_contact(address) == "mailto:push@localhost"
