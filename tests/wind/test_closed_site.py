"""A closed site: sign-ups that were begun before it was closed cannot be completed."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quartet.wind.site.service import SiteSettings
from tests.client import Client
from tests.wind.account_setup import (
    browser,
    invite,
    make_admin,
    service_of,
    sign_up,
    sign_up_with_password,
    site,
)
from tests.wind.authenticator import Authenticator
from tests.wind.mailbox import Mailbox, account_mails_loop, mailbox, token_in

pytestmark = pytest.mark.anyio


@pytest.fixture
async def box() -> AsyncIterator[Mailbox]:
    async with mailbox() as each:
        yield each


@pytest.fixture
async def client(tmp_path: Path, box: Mailbox) -> AsyncIterator[Client]:
    async with site(tmp_path, **box.settings) as each, account_mails_loop(each):
        yield each


async def set_mode(client: Client, mode: str) -> None:
    await service_of(client, SiteSettings).set("account_mode", mode)


async def test_pending_confirmation_ends_when_site_is_closed(client: Client, box: Mailbox) -> None:
    await sign_up_with_password(client, "ada@example.org")
    token = token_in(await box.next(), "confirm")
    await set_mode(client, "closed")
    body = {"token": token}
    assert await client.code("POST", "/api/auth/confirm", json=body) == (400, "link_invalid")
    # Opening the site again does not revive the link.
    await set_mode(client, "open")
    assert await client.code("POST", "/api/auth/confirm", json=body) == (400, "link_invalid")
    assert (await client.get("/api/auth/session")).json() == {"signedIn": False}


async def test_pending_confirmation_needs_invite_once_site_requires_one(
    client: Client, box: Mailbox
) -> None:
    await sign_up_with_password(client, "ada@example.org")
    body = {"token": token_in(await box.next(), "confirm")}
    await set_mode(client, "invite")
    assert await client.code("POST", "/api/auth/confirm", json=body) == (403, "invite_required")
    await set_mode(client, "open")
    assert (await client.post("/api/auth/confirm", json=body)).status_code == 200
    assert (await client.get("/api/auth/session")).json() == {"signedIn": True}


async def test_new_address_is_confirmed_on_closed_site(client: Client, box: Mailbox) -> None:
    await sign_up(client)
    await client.patch("/api/me", json={"email": "ada@example.org"})
    token = token_in(await box.next(), "confirm")
    await set_mode(client, "closed")
    answer = await client.post("/api/auth/confirm", json={"token": token})
    assert answer.json() == {"purpose": "email"}


async def test_passkey_sign_up_begun_before_closing_is_refused(client: Client) -> None:
    device = Authenticator()
    options = (await client.post("/api/auth/signup", json={"name": "Ada"})).json()["options"]
    await set_mode(client, "closed")
    body = {"credential": device.create(options)}
    assert await client.code("POST", "/api/auth/signup/finish", json=body) == (403, "closed")


async def test_invite_is_checked_before_the_form_is_shown(client: Client) -> None:
    await sign_up(client)
    code = await invite(client, await make_admin(client))
    other = browser(client)
    path = "/api/auth/invite"
    assert (await other.post(path, json={"code": code})).status_code == 204
    assert await other.code("POST", path, json={"code": "x"}) == (403, "invite_invalid")
    await set_mode(client, "closed")
    assert await other.code("POST", path, json={"code": code}) == (403, "closed")
