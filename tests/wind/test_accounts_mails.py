"""Confirming an address and coming back without the password, by real mails."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import update

from quartet.wind.accounts import letters
from quartet.wind.accounts.tables import email_tokens
from quartet.wind.accounts.users import Users
from tests.client import Client
from tests.wind.mailbox import Mailbox, letters_sent, mailbox, text_of, token_in
from tests.wind.people import (
    PASSWORD,
    browser,
    part,
    sign_in_with_password,
    sign_up,
    site,
)

pytestmark = pytest.mark.anyio
ADA = "ada@example.org"
INVALID = (400, "link_invalid")


@pytest.fixture
async def box() -> AsyncIterator[Mailbox]:
    async with mailbox() as box:
        yield box


@pytest.fixture
async def client(tmp_path: Path, box: Mailbox) -> AsyncIterator[Client]:
    async with site(tmp_path, **box.settings) as client, letters_sent(client):
        yield client


async def ask_for_account(client: Client, email: str = ADA, **more: str) -> None:
    body = {"name": "Ada", "email": email, "password": PASSWORD, **more}
    answer = await client.post("/api/auth/signup/password", json=body)
    assert (answer.status_code, answer.json()) == (202, {"confirm": True})
    assert "set-cookie" not in answer.headers


async def confirm(client: Client, token: str) -> tuple[int, str]:
    answer = await client.post("/api/auth/confirm", json={"token": token})
    told = answer.json()
    return answer.status_code, told.get("code") or told["purpose"]


async def with_account(client: Client, box: Mailbox, email: str = ADA) -> None:
    await ask_for_account(client, email)
    assert await confirm(client, token_in(await box.next(), "confirm")) == (200, "sign_up")


async def test_an_account_begins_when_its_address_is_confirmed(
    client: Client, box: Mailbox
) -> None:
    await ask_for_account(client, language="de")
    message = await box.next()
    assert (message["To"], message["Subject"]) == (ADA, "Adresse bestätigen")
    assert (await part(client, Users).list()).total == 0
    assert await sign_in_with_password(client, ADA) == (401, "wrong_credentials")
    token = token_in(message, "confirm")
    assert await confirm(client, token) == (200, "sign_up")
    me = (await client.get("/api/me")).json()
    assert (me["email"], me["emailConfirmed"], me["language"]) == (ADA, True, "de")
    assert await confirm(browser(client), token) == INVALID
    assert await sign_in_with_password(browser(client), ADA) == (200, None)


async def test_6_with_mail_the_owner_of_an_address_is_told_and_nobody_else(
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


async def test_a_sign_up_that_was_overtaken_changes_nothing(client: Client, box: Mailbox) -> None:
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


async def test_another_address_counts_once_it_is_confirmed(client: Client, box: Mailbox) -> None:
    await with_account(client, box)
    me = (await client.patch("/api/me", json={"email": "new@example.org"})).json()
    assert (me["email"], me["pendingEmail"]) == (ADA, "new@example.org")
    message = await box.next()
    assert message["To"] == "new@example.org"
    assert (await client.get("/api/me")).json()["pendingEmail"] == "new@example.org"
    assert (await client.post("/api/auth/confirm/again")).status_code == 204
    again = await box.next()
    # From another browser, for instance the one of a telephone.
    assert await confirm(browser(client), token_in(again, "confirm")) == (200, "email")
    told = await box.next()
    assert (told["To"], told["Subject"]) == (ADA, "Your account has another address now")
    me = (await client.get("/api/me")).json()
    assert (me["email"], me["emailConfirmed"]) == ("new@example.org", True)
    assert "pendingEmail" not in me
    assert await confirm(client, token_in(message, "confirm")) == INVALID
    nothing = await client.code("POST", "/api/auth/confirm/again")
    assert nothing == (409, "nothing_to_confirm")


async def test_6_the_address_of_another_account_is_not_given_away(
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


async def test_a_forgotten_password_is_replaced_by_mail(client: Client, box: Mailbox) -> None:
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
    # Whoever was signed in before is out.
    assert await client.code("GET", "/api/me") == (401, "signed_out")
    assert await visitor.code("POST", "/api/auth/password/reset", json=new) == INVALID
    assert await sign_in_with_password(visitor, ADA) == (401, "wrong_credentials")
    assert await sign_in_with_password(visitor, ADA, "wind from the east") == (200, None)


async def test_6_asking_for_a_new_password_tells_nothing(client: Client, box: Mailbox) -> None:
    await with_account(client, box)
    visitor, answers = browser(client), []
    for email in ("nobody@example.org", ADA):
        answer = await visitor.post("/api/auth/password/forgot", json={"email": email})
        answers.append((answer.status_code, answer.content))
    assert answers[0] == answers[1]
    # They are written in order: nobody got none.
    assert (await box.next())["To"] == ADA
    assert box.empty


async def test_7_links_are_for_one_purpose_and_for_those_who_may_come_in(
    client: Client, box: Mailbox
) -> None:
    await with_account(client, box)
    await client.post("/api/auth/password/forgot", json={"email": ADA})
    reset = token_in(await box.next(), "reset")
    assert await confirm(browser(client), reset) == INVALID
    number = (await client.get("/api/me")).json()["id"]
    await part(client, Users).disable(number)
    body = {"token": reset, "password": "wind from the east"}
    assert await client.code("POST", "/api/auth/password/reset", json=body) == INVALID
    await client.post("/api/auth/password/forgot", json={"email": ADA})
    await ask_for_account(client, "last@example.org")
    assert (await box.next())["To"] == "last@example.org"


async def test_a_server_that_is_busy_is_asked_again(
    client: Client, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(letters, "PAUSES", (0.0, 0.0, 0.0))
    box.refusals += ["451 later", "451 later"]
    await ask_for_account(client)
    assert (await box.next())["To"] == ADA
    assert box.tried == 3
    box.refusals += ["550 never"]
    await ask_for_account(client, "gone@example.org")
    await ask_for_account(client, "next@example.org")
    assert (await box.next())["To"] == "next@example.org"
    assert box.tried == 5


async def test_one_address_that_cannot_be_written_to_holds_up_nobody(
    client: Client, box: Mailbox
) -> None:
    # Nothing the net of names could know: no mail server is ever asked.
    await ask_for_account(client, "x@" + "ü" * 70 + ".example")
    # And one whose server wants to be asked later.
    box.refusals += ["451 later"]
    await ask_for_account(client, "later@example.org")
    async with asyncio.timeout(4):
        while box.tried == 0:
            await asyncio.sleep(0.01)
        await ask_for_account(client, "next@example.org")
        assert (await box.next())["To"] == "next@example.org"


async def test_whoever_left_gets_no_letter_and_others_do(tmp_path: Path, box: Mailbox) -> None:
    async with site(tmp_path, **box.settings) as client:
        await sign_up(client, "Admin")
        eve = browser(client)
        await sign_up(eve, "Eve")
        assert (await eve.patch("/api/me", json={"email": "eve@example.org"})).status_code == 200
        assert (await eve.delete("/api/me")).status_code == 204
        await ask_for_account(browser(client), "next@example.org")
        async with letters_sent(client):
            assert (await box.next())["To"] == "next@example.org"
        assert box.empty


async def test_no_mailbox_is_flooded(client: Client, box: Mailbox) -> None:
    for _ in range(5):
        await ask_for_account(client)
    await ask_for_account(client, "last@example.org")
    receivers = [(await box.next())["To"] for _ in range(4)]
    assert receivers == [ADA, ADA, ADA, "last@example.org"]


async def test_without_mail_there_is_no_way_back_by_mail(tmp_path: Path) -> None:
    async with site(tmp_path) as client:
        body = {"email": ADA}
        refused = await client.code("POST", "/api/auth/password/forgot", json=body)
        assert refused == (409, "mail_not_set_up")
