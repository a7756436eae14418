"""Account enumeration and password guessing."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from quartet.kernel.errors import AppError
from quartet.wind.accounts.rate_limits import RateLimits
from quartet.wind.mail.address import email_key, tidy_email
from tests.client import Client
from tests.wind.account_setup import (
    PASSWORD,
    browser,
    my_id,
    sign_in,
    sign_in_with_password,
    sign_up,
    sign_up_with_password,
    site,
)

pytestmark = pytest.mark.anyio
# Longer than any allowed password, so it is rejected without hashing.
GUESS = "x" * 1500
ADA, NOBODY = "ada@example.org", "nobody@example.org"
# Headers that differ in every response.
VOLATILE = ("x-request-id", "set-cookie", "date")


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Client]:
    async with site(tmp_path) as client:
        yield client


def seen(answer: httpx.Response) -> tuple[int, bytes, list[tuple[str, str]]]:
    """Return everything a client can observe in a response."""
    kept = [each for each in answer.headers.multi_items() if each[0] not in VOLATILE]
    return answer.status_code, answer.content, kept


async def attempt(client: Client, email: str) -> tuple[httpx.Response, float]:
    body = {"email": email, "password": "a wrong password"}
    # CPU time, because other processes may keep all cores busy.
    began = time.process_time()
    answer = await client.post("/api/auth/signin/password", json=body)
    return answer, time.process_time() - began


async def test_wrong_password_and_unknown_address_get_same_response(client: Client) -> None:
    await sign_up_with_password(client, ADA)
    visitor = browser(client)
    await attempt(visitor, NOBODY)
    known, unknown = [], []
    for _ in range(6):
        known.append(await attempt(visitor, ADA))
        unknown.append(await attempt(visitor, NOBODY))
    assert len({str(seen(answer)) for answer, _took in known + unknown}) == 1
    # Compare the fastest of each: other threads can only add to the time.
    fastest = [min(took for _answer, took in each) for each in (known, unknown)]
    assert max(fastest) < 3 * min(fastest)


async def test_account_without_password_gets_same_response(client: Client) -> None:
    await sign_up(client)
    await client.patch("/api/me", json={"email": ADA})
    visitor = browser(client)
    answers = [seen((await attempt(visitor, each))[0]) for each in (ADA, NOBODY)]
    assert answers[0] == answers[1]


async def test_sign_up_with_known_address_reveals_and_changes_nothing(
    client: Client,
) -> None:
    await sign_up_with_password(client, ADA)
    visitor, answers = browser(client), []
    for email in ("new@example.org", ADA, "ADA@example.ORG", "\uff41da@example.org"):
        body = {"name": "Eve", "email": email, "password": "the password of eve"}
        answers.append(await visitor.post("/api/auth/signup/password", json=body))
        await visitor.post("/api/auth/signout")
    assert len({str(seen(answer)) for answer in answers}) == 1
    assert await sign_in_with_password(visitor, ADA, "the password of eve") == (
        401,
        "wrong_credentials",
    )
    assert await sign_in_with_password(visitor, ADA) == (200, None)
    assert (await visitor.get("/api/me")).json()["name"] == "Ada"


async def test_concurrent_sign_ups_create_one_account_per_address(client: Client) -> None:
    visitors = [browser(client) for _ in range(8)]
    await asyncio.gather(*(sign_up_with_password(each, ADA) for each in visitors))
    answers = [await each.get("/api/me") for each in visitors]
    assert sorted(each.status_code for each in answers) == [200] + [401] * 7


async def test_password_attempts_per_client_address_are_limited(client: Client) -> None:
    await sign_up_with_password(client, ADA)
    eve = browser(client, peer="203.0.113.9")
    codes = [
        await sign_in_with_password(eve, f"nobody{number}@example.org", GUESS)
        for number in range(31)
    ]
    assert codes[0] == (401, "wrong_credentials")
    assert codes[-1] == (429, "too_many_attempts")
    assert await sign_in_with_password(eve, ADA) == (429, "too_many_attempts")
    # Other clients are not affected.
    assert await sign_in_with_password(browser(client), ADA) == (200, None)


async def test_known_browser_and_passkey_can_sign_in_during_account_lockout(
    client: Client,
) -> None:
    device = await sign_up(client)
    await client.patch("/api/me", json={"email": ADA})
    await client.put("/api/me/password", json={"password": PASSWORD})
    await client.post("/api/auth/signout")
    codes = []
    for number in range(31):
        eve = browser(client, peer=f"203.0.113.{number}")
        codes.append(await sign_in_with_password(eve, ADA, GUESS))
    assert codes[0] == (401, "wrong_credentials")
    assert codes[-1] == (429, "too_many_attempts")
    assert await sign_in_with_password(browser(client), ADA) == (429, "too_many_attempts")
    assert await sign_in_with_password(client, ADA) == (200, None)
    assert (await sign_in(browser(client), device))["id"] == await my_id(client)


async def test_known_browser_cookie_of_another_account_does_not_help(client: Client) -> None:
    await sign_up_with_password(client, ADA)
    eve = browser(client, peer="203.0.113.9")
    await sign_up_with_password(eve, "eve@example.org")
    codes = [await sign_in_with_password(eve, ADA, GUESS) for _ in range(31)]
    assert codes[-1] == (429, "too_many_attempts")


async def test_sign_ups_and_ceremonies_are_limited_per_client_address(client: Client) -> None:
    eve = browser(client, peer="203.0.113.9")
    codes = [
        (await eve.post("/api/auth/signup", json={"name": "Eve"})).status_code for _ in range(31)
    ]
    assert (codes[0], codes[-1]) == (200, 429)
    starts = [(await eve.post("/api/auth/signin")).status_code for _ in range(61)]
    assert (starts[0], starts[-1]) == (200, 429)
    assert (await client.post("/api/auth/signin")).status_code == 200


async def test_passkey_sign_in_options_do_not_depend_on_accounts(client: Client) -> None:
    before = await client.post("/api/auth/signin")
    await sign_up(client)
    after = await client.post("/api/auth/signin")
    found = [each.json()["options"] for each in (before, after)]
    for options in found:
        assert len(options.pop("challenge")) == 43
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "spelling",
    ["ADA@EXAMPLE.ORG", " ada@example.org\t", "\uff41da@example.org", "ada@exa\u1d50ple.org"],
)
def test_spellings_of_an_address_have_the_same_key(spelling: str) -> None:
    assert email_key(tidy_email(spelling)) == ADA


def test_email_key_is_idempotent() -> None:
    for text in ("STRASSE@x.de", "straße@x.de", "\u0130@x.de", "\u03a3\u03c2@x.gr", "\ufb01@x.de"):
        assert email_key(email_key(text)) == email_key(text)


async def test_mails_to_one_mailbox_are_limited() -> None:
    now = [0.0]
    brakes = RateLimits(lambda: now[0])
    assert [await brakes.may_mail(each) for each in (ADA, ADA.upper(), ADA, ADA)] == [
        True,
        True,
        True,
        False,
    ]
    assert await brakes.may_mail(NOBODY)
    now[0] = 16 * 60
    assert await brakes.may_mail(ADA)
    with pytest.raises(AppError):
        for _ in range(11):
            await brakes.count_own_action(1)
