"""Push subscriptions end with the session of their browser."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quartet.wind.push.tables import subscriptions
from tests.client import Client
from tests.push_service import PushService, count_subscriptions, subscribe
from tests.wind.account_setup import (
    PASSWORD,
    browser,
    make_admin,
    my_id,
    sign_up_with_password,
    site,
)

pytestmark = pytest.mark.anyio
ADA = "ada@example.org"


@pytest.fixture
async def laptop(tmp_path: Path, push_server: PushService) -> AsyncIterator[Client]:
    async with site(tmp_path, allow_private_addresses=True) as client:
        await sign_up_with_password(client, ADA)
        await subscribe(client, push_server.browser("laptop"))
        yield client


@pytest.fixture
async def phone(laptop: Client, push_server: PushService) -> Client:
    client = browser(laptop)
    await client.post("/api/auth/signin/password", json={"email": ADA, "password": PASSWORD})
    await subscribe(client, push_server.browser("phone"))
    return client


async def subscribed(client: Client) -> list[str]:
    """Return the names of the subscribed browsers."""
    rows = await client.started.kernel.db.read(
        lambda conn: conn.execute(subscriptions.select()).all()
    )
    return sorted(row.endpoint.rpartition("/")[2] for row in rows)


async def test_signing_out_others_ends_their_subscriptions(laptop: Client, phone: Client) -> None:
    assert await subscribed(laptop) == ["laptop", "phone"]
    assert (await laptop.post("/api/auth/signout/others")).status_code == 200
    assert await subscribed(laptop) == ["laptop"]


async def test_password_change_keeps_only_own_subscription(laptop: Client, phone: Client) -> None:
    body = {"password": "wind from the east", "current": PASSWORD}
    assert (await laptop.put("/api/me/password", json=body)).status_code == 200
    assert await subscribed(laptop) == ["laptop"]
    assert await count_subscriptions(laptop) == 1


async def test_ending_one_session_ends_its_subscription(laptop: Client, phone: Client) -> None:
    sessions = (await laptop.get("/api/me")).json()["sessions"]
    assert {each["address"] for each in sessions} == {"127.0.0.1"}
    assert all(each["device"].startswith("python-httpx") for each in sessions)
    assert all(each["seenAt"] >= each["createdAt"] for each in sessions)
    (other,) = [each["id"] for each in sessions if not each["current"]]
    answer = await laptop.delete(f"/api/auth/sessions/{other}")
    assert [each["current"] for each in answer.json()["sessions"]] == [True]
    assert await subscribed(laptop) == ["laptop"]
    assert await phone.code("GET", "/api/me") == (401, "signed_out")
    assert await laptop.code("DELETE", f"/api/auth/sessions/{other}") == (404, "not_found")


async def test_session_of_another_user_cannot_be_ended(laptop: Client) -> None:
    eve = browser(laptop)
    await sign_up_with_password(eve, "eve@example.org")
    (session,) = (await laptop.get("/api/me")).json()["sessions"]
    path = f"/api/auth/sessions/{session['id']}"
    assert await eve.code("DELETE", path) == (404, "not_found")
    assert (await laptop.get("/api/me")).status_code == 200


async def test_sign_out_and_admin_sign_out_end_subscriptions(laptop: Client, phone: Client) -> None:
    await phone.post("/api/auth/signout")
    assert await subscribed(laptop) == ["laptop"]
    admin = browser(laptop)
    await sign_up_with_password(admin, "admin@example.org")
    await make_admin(admin)
    await admin.post(f"/api/admin/users/{await my_id(laptop)}/signout")
    assert await subscribed(laptop) == []
