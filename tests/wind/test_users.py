"""Account management by admins, and protection of the last admin."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Any

import pytest

from quartet.kernel.errors import AppError
from quartet.wind.accounts.users import Users
from tests.client import Client
from tests.wind.account_setup import (
    browser,
    make_admin,
    my_id,
    service_of,
    sign_in,
    sign_in_with_password,
    sign_up,
    sign_up_with_password,
    site,
)

pytestmark = pytest.mark.anyio


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Client]:
    async with site(tmp_path) as client:
        yield client


async def code_of(act: Coroutine[Any, Any, Any]) -> str | None:
    try:
        await act
    except AppError as error:
        return error.code
    return None


async def test_users_are_paged_and_searched(client: Client) -> None:
    users = service_of(client, Users)
    for number in range(5):
        visitor = browser(client)
        await sign_up(visitor, f"Rider {number}")
        await visitor.patch("/api/me", json={"email": f"rider{number}@100%.org"})
    page = await users.list(offset=2, limit=2)
    assert ([each.name for each in page.users], page.total) == (
        ["Rider 2", "Rider 3"],
        5,
    )
    assert page.users[0].passkeys == 1 and not page.users[0].has_password
    assert page.users[0].seen_at is not None
    for text, count in (("RIDER 3", 1), ("rider3@", 1), ("100%", 5), ("_", 0), ("\x00", 5)):
        assert (await users.list(text)).total == count, text


async def test_disabled_user_is_signed_out_and_can_return(client: Client) -> None:
    await sign_up_with_password(client, "ada@example.org")
    device = await sign_up(browser(client), "Bob")
    bob = browser(client)
    number = (await sign_in(bob, device))["id"]
    users = service_of(client, Users)
    assert (await users.disable(number)).disabled
    assert await bob.code("GET", "/api/me") == (401, "signed_out")
    options = (await bob.post("/api/auth/signin")).json()["options"]
    body = {"credential": device.get(options)}
    refused = await bob.code("POST", "/api/auth/signin/finish", json=body)
    assert refused == (403, "account_disabled")
    ada = await my_id(client)
    await users.disable(ada)
    assert await sign_in_with_password(client, "ada@example.org") == (403, "account_disabled")
    # Without the correct password the response does not reveal it.
    wrong = await sign_in_with_password(client, "ada@example.org", "a wrong password")
    assert wrong == (401, "wrong_credentials")
    await users.enable(number)
    assert (await sign_in(bob, device))["id"] == number


async def test_user_is_signed_out_confirmed_and_deleted(client: Client) -> None:
    await sign_up_with_password(client, "ada@example.org")
    number, users = await my_id(client), service_of(client, Users)
    assert (await users.confirm_email(number)).email_confirmed
    await users.sign_out(number)
    assert await client.code("GET", "/api/me") == (401, "signed_out")
    await users.delete(number)
    assert await code_of(users.delete(number)) == "not_found"
    assert await code_of(users.enable(number)) == "not_found"
    visitor = browser(client)
    await sign_up(visitor)
    assert await code_of(users.confirm_email(await my_id(visitor))) == "email_needed"


async def test_last_admin_cannot_be_removed(client: Client) -> None:
    await sign_up(client)
    number, users = await make_admin(client), service_of(client, Users)
    for act in (users.set_role(number, "user"), users.disable(number), users.delete(number)):
        assert await code_of(act) == "last_admin"
    assert await client.code("DELETE", "/api/me") == (409, "last_admin")
    assert (await client.get("/api/me")).json()["role"] == "admin"
    other = browser(client)
    await sign_up(other)
    second = await make_admin(other)
    await users.disable(second)
    # Disabled admins do not count.
    assert await code_of(users.set_role(number, "user")) == "last_admin"
    await users.enable(second)
    assert (await users.set_role(number, "user")).role == "user"


async def fall_from_power(client: Client) -> None:
    """All admins demote each other in every way at once; one admin must remain."""
    users, numbers = service_of(client, Users), []
    for _ in range(6):
        visitor = browser(client)
        await sign_up(visitor)
        numbers.append(await make_admin(visitor))
    acts = [
        *(users.set_role(each, "user") for each in numbers[:2]),
        *(users.disable(each) for each in numbers[2:4]),
        *(users.delete(each) for each in numbers[4:]),
    ]
    codes = await asyncio.gather(*(code_of(each) for each in acts))
    assert sorted(codes, key=str) == [None] * 5 + ["last_admin"]
    left = [each for each in (await users.list()).users if each.role == "admin"]
    assert len([each for each in left if not each.disabled]) == 1


async def test_concurrent_demotions_leave_one_admin(client: Client) -> None:
    await fall_from_power(client)


async def test_concurrent_demotions_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    async with site(tmp_path, database_url=postgres_url) as client:
        await fall_from_power(client)


async def test_accounts_of_a_database_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    async with site(tmp_path, database_url=postgres_url) as client:
        device = await sign_up(client)
        me = (await client.patch("/api/me", json={"email": "ada@example.org"})).json()
        await client.put("/api/me/password", json={"password": "wind from the west"})
        other = browser(client)
        await sign_up(other, "Bob")
        refused = await other.code("PATCH", "/api/me", json={"email": "ADA@example.org"})
        assert refused == (409, "email_taken")
        assert await sign_in_with_password(browser(client), "ada@example.org") == (200, None)
        assert (await sign_in(browser(client), device))["id"] == me["id"]
        assert (await service_of(client, Users).list("example")).total == 1
        assert (await client.delete("/api/me")).status_code == 204
        assert (await service_of(client, Users).list()).total == 1
