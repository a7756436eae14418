"""Important changes need a recent password or passkey."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import update

from quartet.wind.accounts.recent_checks import RECENT_SECONDS
from quartet.wind.accounts.tables import session_checks, sessions
from tests.client import Client
from tests.wind.account_setup import (
    PASSWORD,
    add_passkey,
    browser,
    sign_up,
    sign_up_with_password,
    site,
)
from tests.wind.authenticator import Authenticator

pytestmark = pytest.mark.anyio
REFUSED = (403, "recent_check_required")
ADA = "ada@example.org"


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Client]:
    async with site(tmp_path) as each:
        yield each


async def let_time_pass(client: Client) -> None:
    """Make the sign-in and all checks of every session too old."""

    def work(tx: object) -> None:
        old = RECENT_SECONDS + 1
        conn = tx.conn  # type: ignore[attr-defined]
        conn.execute(update(sessions).values(created_at=sessions.c.created_at - old))
        conn.execute(update(session_checks).values(at=session_checks.c.at - old))

    await client.started.kernel.db.write(work)


async def check_passkey(client: Client, device: Authenticator) -> int:
    options = (await client.post("/api/auth/check/passkey")).json()["options"]
    body = {"credential": device.get(options)}
    return (await client.post("/api/auth/check/passkey/finish", json=body)).status_code


async def test_sign_in_counts_as_check(client: Client) -> None:
    await sign_up_with_password(client, ADA)
    await add_passkey(client, Authenticator(), "laptop")
    assert (await client.patch("/api/me", json={"email": "b@example.org"})).status_code == 200
    assert (await client.delete("/api/me")).status_code == 204


async def test_important_changes_need_recent_check(client: Client) -> None:
    await sign_up_with_password(client, ADA)
    me = await add_passkey(client, Authenticator(), "laptop")
    await let_time_pass(client)
    passkey = f"/api/auth/passkeys/{me['passkeys'][0]['id']}"
    for method, path, body in (
        ("POST", "/api/auth/passkeys", None),
        ("PATCH", "/api/me", {"email": "eve@example.org"}),
        ("DELETE", "/api/me", None),
        ("DELETE", passkey, None),
        ("POST", "/api/me/recovery-codes", None),
    ):
        assert await client.code(method, path, json=body) == REFUSED, path
    # Harmless changes need none.
    assert (await client.patch("/api/me", json={"name": "Ada L."})).status_code == 200
    assert (await client.patch(passkey, json={"name": "old laptop"})).status_code == 200
    wrong = {"password": "a guess"}
    path = "/api/auth/check/password"
    assert await client.code("POST", path, json=wrong) == (403, "wrong_password")
    assert await client.code("DELETE", "/api/me") == REFUSED
    assert (await client.post(path, json={"password": PASSWORD})).status_code == 204
    assert (await client.delete(passkey)).status_code == 204
    assert (await client.delete("/api/me")).status_code == 204


async def test_first_password_of_account_needs_recent_check(client: Client) -> None:
    device = await sign_up(client)
    await client.patch("/api/me", json={"email": ADA})
    await let_time_pass(client)
    body = {"password": "wind from the east"}
    assert await client.code("PUT", "/api/me/password", json=body) == REFUSED
    assert await check_passkey(client, device) == 204
    assert (await client.put("/api/me/password", json=body)).status_code == 200


async def test_check_is_valid_for_ten_minutes_and_one_session(client: Client) -> None:
    await sign_up_with_password(client, ADA)
    other = browser(client)
    await other.post("/api/auth/signin/password", json={"email": ADA, "password": PASSWORD})
    await let_time_pass(client)
    await client.post("/api/auth/check/password", json={"password": PASSWORD})
    assert (await client.post("/api/auth/passkeys")).status_code == 200
    assert await other.code("POST", "/api/auth/passkeys") == REFUSED
    await let_time_pass(client)
    assert await client.code("POST", "/api/auth/passkeys") == REFUSED


async def test_passkey_of_another_account_is_no_check(client: Client) -> None:
    await sign_up(client)
    stranger = browser(client)
    theirs = await sign_up(stranger, "Eve")
    await let_time_pass(client)
    assert await check_passkey(client, theirs) == 403
    assert await client.code("DELETE", "/api/me") == REFUSED


async def test_guesses_of_a_check_are_limited(client: Client) -> None:
    await sign_up_with_password(client, ADA)
    path, wrong = "/api/auth/check/password", {"password": "a guess"}
    for _ in range(10):
        assert await client.code("POST", path, json=wrong) == (403, "wrong_password")
    assert await client.code("POST", path, json=wrong) == (429, "too_many_attempts")
    assert await browser(client).code("POST", path, json=wrong) == (401, "signed_out")
