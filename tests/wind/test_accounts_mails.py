"""Confirming addresses and resetting passwords with real mails."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import update

from quartet.wind.accounts import account_emails
from quartet.wind.accounts.tables import email_tokens
from quartet.wind.accounts.users import Users
from tests.client import Client
from tests.wind.account_setup import (
    PASSWORD,
    browser,
    service_of,
    sign_in_with_password,
    sign_up,
    site,
)
from tests.wind.mailbox import Mailbox, account_mails_loop, mailbox, text_of, token_in

pytestmark = pytest.mark.anyio
ADA = "ada@example.org"
INVALID = (400, "link_invalid")


@pytest.fixture
async def box() -> AsyncIterator[Mailbox]:
    async with mailbox() as box:
        yield box


@pytest.fixture
async def client(tmp_path: Path, box: Mailbox) -> AsyncIterator[Client]:
    async with site(tmp_path, **box.settings) as client, account_mails_loop(client):
        yield client


async def ask_for_account(client: Client, email: str = ADA, **more: str) -> None:
    body = {"name": "Ada", "email": email, "password": PASSWORD, **more}
    answer = await client.post("/api/auth/signup/password", json=body)
    assert (answer.status_code, answer.json()) == (202, {"confirm": True})
    assert "set-cookie" not in answer.headers


async def confirm(client: Client, token: str) -> tuple[int, str]:
    answer = await client.post("/api/auth/confirm", json={"token": token})
    found = answer.json()
    return answer.status_code, found.get("code") or found["purpose"]


async def with_account(client: Client, box: Mailbox, email: str = ADA) -> None:
    await ask_for_account(client, email)
    assert await confirm(client, token_in(await box.next(), "confirm")) == (200, "sign_up")


async def test_account_is_created_when_address_is_confirmed(client: Client, box: Mailbox) -> None:
    await ask_for_account(client, language="de")
    message = await box.next()
    assert (message["To"], message["Subject"]) == (ADA, "Adresse bestätigen")
    assert (await service_of(client, Users).list()).total == 0
    assert await sign_in_with_password(client, ADA) == (401, "wrong_credentials")
    token = token_in(message, "confirm")
    assert await confirm(client, token) == (200, "sign_up")
    me = (await client.get("/api/me")).json()
    assert (me["email"], me["emailConfirmed"], me["language"]) == (ADA, True, "de")
    assert await confirm(browser(client), token) == INVALID
    assert await sign_in_with_password(browser(client), ADA) == (200, None)


async def test_sign_up_with_known_address_notifies_only_its_owner(
    client: Client, box: Mailbox
) -> None:
    await with_account(client, box)
    eve, answers = browser(client), []
    for email in ("ADA@example.org", "new@example.org"):
        body = {"name": "Eve", "email": email, "password": "the password of eve"}
        answer = await eve.post("/api/auth/signup/password", json=body)
        answers.append((answer.status_code, answer.content))
    assert answers[0] == answers[1]
    first, second = await box.next(), await box.next()
    assert (first["To"], first["Subject"]) == (ADA, "There is an account already")
    assert "token" not in text_of(first)
    assert second["To"] == "new@example.org"
    assert (await client.get("/api/me")).json()["name"] == "Ada"


async def test_second_confirmation_of_the_same_address_is_rejected(
    client: Client, box: Mailbox
) -> None:
    await ask_for_account(client)
    await ask_for_account(client, password="the second password")
    tokens = [token_in(await box.next(), "confirm") for _ in range(2)]
    results = await asyncio.gather(*(confirm(browser(client), each) for each in tokens))
    assert sorted(results) == [(200, "sign_up"), INVALID]


async def test_links_expire(client: Client, box: Mailbox) -> None:
    await ask_for_account(client)
    token = token_in(await box.next(), "confirm")
    await client.started.kernel.db.write(
        lambda tx: tx.conn.execute(update(email_tokens).values(expires_at=1))
    )
    assert await confirm(client, token) == INVALID
    for strange in ("", "x", "é", "0" * 200):
        assert await confirm(client, strange) == INVALID


async def test_new_address_takes_effect_after_confirmation(client: Client, box: Mailbox) -> None:
    await with_account(client, box)
    me = (await client.patch("/api/me", json={"email": "new@example.org"})).json()
    assert (me["email"], me["pendingEmail"]) == (ADA, "new@example.org")
    message = await box.next()
    assert message["To"] == "new@example.org"
    assert (await client.get("/api/me")).json()["pendingEmail"] == "new@example.org"
    assert (await client.post("/api/auth/confirm/again")).status_code == 204
    again = await box.next()
    # From another browser, for example on a phone.
    assert await confirm(browser(client), token_in(again, "confirm")) == (200, "email")
    found = await box.next()
    assert (found["To"], found["Subject"]) == (ADA, "Your account has another address now")
    me = (await client.get("/api/me")).json()
    assert (me["email"], me["emailConfirmed"]) == ("new@example.org", True)
    assert "pendingEmail" not in me
    assert await confirm(client, token_in(message, "confirm")) == INVALID
    nothing = await client.code("POST", "/api/auth/confirm/again")
    assert nothing == (409, "nothing_to_confirm")


async def test_changing_to_address_of_another_account_reveals_nothing(
    client: Client, box: Mailbox
) -> None:
    await with_account(client, box)
    eve = browser(client)
    await sign_up(eve, "Eve")
    me = (await eve.patch("/api/me", json={"email": ADA})).json()
    assert me["pendingEmail"] == ADA
    message = await box.next()
    assert message["Subject"] == "There is an account already"
    assert "token" not in text_of(message)


async def test_forgotten_password_is_reset_by_mail(client: Client, box: Mailbox) -> None:
    await with_account(client, box)
    visitor = browser(client)
    body = {"email": "Ada@Example.ORG"}
    assert (await visitor.post("/api/auth/password/forgot", json=body)).status_code == 204
    token = token_in(await box.next(), "reset")
    weak = {"token": token, "password": "short"}
    refused = await visitor.code("POST", "/api/auth/password/reset", json=weak)
    assert refused == (400, "password_too_short")
    new = {"token": token, "password": "wind from the east"}
    answer = await visitor.post("/api/auth/password/reset", json=new)
    assert (answer.status_code, answer.json()["email"]) == (200, ADA)
    assert (await visitor.get("/api/me")).status_code == 200
    # Previous sessions have ended.
    assert await client.code("GET", "/api/me") == (401, "signed_out")
    assert await visitor.code("POST", "/api/auth/password/reset", json=new) == INVALID
    assert await sign_in_with_password(visitor, ADA) == (401, "wrong_credentials")
    assert await sign_in_with_password(visitor, ADA, "wind from the east") == (200, None)


async def test_new_password_cancels_a_pending_change_of_address(
    client: Client, box: Mailbox
) -> None:
    """Somebody who knew the old password must not get the account with a link from before."""
    await with_account(client, box)
    await client.patch("/api/me", json={"email": "eve@example.org"})
    token = token_in(await box.next(), "confirm")
    new = {"current": PASSWORD, "password": "wind from the east"}
    assert "pendingEmail" not in (await client.put("/api/me/password", json=new)).json()
    assert await confirm(browser(client), token) == INVALID
    await client.patch("/api/me", json={"email": "eve@example.org"})
    token = token_in(await box.next(), "confirm")
    await client.post("/api/auth/password/forgot", json={"email": ADA})
    reset = {"token": token_in(await box.next(), "reset"), "password": "wind from the west"}
    assert (await browser(client).post("/api/auth/password/reset", json=reset)).status_code == 200
    assert await confirm(browser(client), token) == INVALID


async def test_password_reset_request_reveals_nothing(client: Client, box: Mailbox) -> None:
    await with_account(client, box)
    visitor, answers = browser(client), []
    for email in ("nobody@example.org", ADA):
        answer = await visitor.post("/api/auth/password/forgot", json={"email": email})
        answers.append((answer.status_code, answer.content))
    assert answers[0] == answers[1]
    # Mails are sent in order, so the unknown address got none.
    assert (await box.next())["To"] == ADA
    assert box.empty


async def test_links_work_for_one_purpose_and_not_for_disabled_accounts(
    client: Client, box: Mailbox
) -> None:
    await with_account(client, box)
    await client.post("/api/auth/password/forgot", json={"email": ADA})
    reset = token_in(await box.next(), "reset")
    assert await confirm(browser(client), reset) == INVALID
    number = (await client.get("/api/me")).json()["id"]
    await service_of(client, Users).disable(number)
    body = {"token": reset, "password": "wind from the east"}
    assert await client.code("POST", "/api/auth/password/reset", json=body) == INVALID
    await client.post("/api/auth/password/forgot", json={"email": ADA})
    await ask_for_account(client, "last@example.org")
    assert (await box.next())["To"] == "last@example.org"


async def test_mail_is_retried_after_temporary_failure(
    client: Client, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(account_emails, "PAUSES", (0.0, 0.0, 0.0))
    box.refusals += ["451 later", "451 later"]
    await ask_for_account(client)
    assert (await box.next())["To"] == ADA
    assert box.tried == 3
    box.refusals += ["550 never"]
    await ask_for_account(client, "gone@example.org")
    await ask_for_account(client, "next@example.org")
    assert (await box.next())["To"] == "next@example.org"
    assert box.tried == 5


async def test_undeliverable_mail_does_not_block_others(
    client: Client, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(account_emails, "PAUSES", (600.0, 600.0, 600.0))
    # An impossible domain: no mail server is contacted.
    await ask_for_account(client, "x@" + "ü" * 70 + ".example")
    # A temporary failure.
    box.refusals += ["451 later"]
    await ask_for_account(client, "later@example.org")
    async with asyncio.timeout(60):
        while box.tried == 0:
            await asyncio.sleep(0.01)
        await ask_for_account(client, "next@example.org")
        assert (await box.next())["To"] == "next@example.org"


async def test_deleted_account_gets_no_mail(tmp_path: Path, box: Mailbox) -> None:
    async with site(tmp_path, **box.settings) as client:
        await sign_up(client, "Admin")
        eve = browser(client)
        await sign_up(eve, "Eve")
        assert (await eve.patch("/api/me", json={"email": "eve@example.org"})).status_code == 200
        assert (await eve.delete("/api/me")).status_code == 204
        await ask_for_account(browser(client), "next@example.org")
        async with account_mails_loop(client):
            assert (await box.next())["To"] == "next@example.org"
        assert box.empty


async def test_mailbox_is_not_flooded(client: Client, box: Mailbox) -> None:
    for _ in range(5):
        await ask_for_account(client)
    await ask_for_account(client, "last@example.org")
    receivers = [(await box.next())["To"] for _ in range(4)]
    assert receivers == [ADA, ADA, ADA, "last@example.org"]


async def test_password_reset_without_mail_server_is_rejected(tmp_path: Path) -> None:
    async with site(tmp_path) as client:
        body = {"email": ADA}
        refused = await client.code("POST", "/api/auth/password/forgot", json=body)
        assert refused == (409, "mail_not_set_up")
