"""A user's own account: e-mail and password, name, sessions and deletion."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quartet.kernel.auth import Passwords
from quartet.wind.accounts.users import Users
from tests.client import Client
from tests.real_servers import free_port
from tests.wind.account_setup import (
    PASSWORD,
    browser,
    my_id,
    service_of,
    sign_in,
    sign_in_with_password,
    sign_up,
    sign_up_with_password,
    site,
)

pytestmark = pytest.mark.anyio
ADA = "Ada@Example.org"


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Client]:
    async with site(tmp_path) as client:
        yield client


async def test_sign_up_without_mail_creates_account_immediately(client: Client) -> None:
    body = {"name": "Ada", "email": ADA, "password": PASSWORD}
    answer = await client.post(
        "/api/auth/signup/password", json=body, headers={"accept-language": "fr,de-AT;q=0.9"}
    )
    assert (answer.status_code, answer.json()) == (202, {"confirm": False})
    me = (await client.get("/api/me")).json()
    assert (me["email"], me["emailConfirmed"], me["hasPassword"]) == (ADA, False, True)
    assert (me["language"], me["passkeys"]) == ("de", [])
    other = browser(client)
    assert await sign_in_with_password(other, " ada@EXAMPLE.org ") == (200, None)
    assert await my_id(other) == me["id"]


async def test_name_language_and_units_can_be_changed(client: Client) -> None:
    await sign_up(client)
    me = (await client.patch("/api/me", json={"name": " Grace ", "language": "de"})).json()
    assert (me["name"], me["language"]) == ("Grace", "de")
    for name in ("", "  ", "a" * 61, "a\u202eb", "a\x00b", "a\nb\x07"):
        refused = await client.code("PATCH", "/api/me", json={"name": name})
        assert refused == (400, "invalid_name")
    status, code = await client.code("PATCH", "/api/me", json={"language": "fr"})
    assert (status, code) == (400, "invalid_request")
    # Until some are chosen, a browser keeps its own.
    assert "units" not in (await client.get("/api/me")).json()
    units = {"wind": "mph", "temperature": "f", "rain": "in", "height": "ft"}
    assert (await client.patch("/api/me", json={"units": units})).json()["units"] == units
    assert (await client.patch("/api/me", json={"name": "Grace"})).json()["units"] == units
    assert (await client.get("/api/me")).json()["units"] == units
    assert (await client.get("/api/me/export")).json()["account"]["units"] == units
    refused = await client.code("PATCH", "/api/me", json={"units": {"wind": "warp"}})
    assert refused == (400, "invalid_request")


async def test_password_change_ends_all_other_sessions(client: Client) -> None:
    await sign_up_with_password(client, ADA)
    other = browser(client)
    await sign_in_with_password(other, ADA)
    before = client.cookies["quartet_wind"]
    body = {"password": "wind from the east", "current": PASSWORD}
    answer = await client.put("/api/me/password", json=body)
    assert len(answer.json()["sessions"]) == 1
    assert client.cookies["quartet_wind"] != before
    assert await other.code("GET", "/api/me") == (401, "signed_out")
    old = browser(client)
    old.cookies.set("quartet_wind", before)
    assert await old.code("GET", "/api/me") == (401, "signed_out")
    assert await sign_in_with_password(other, ADA) == (401, "wrong_credentials")
    assert await sign_in_with_password(other, ADA, "wind from the east") == (200, None)


async def test_password_change_that_another_one_overtakes_is_refused(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise somebody with the old password could undo the change that was to end it."""
    await sign_up_with_password(client, ADA)
    mine, verify = client.cookies["quartet_wind"], Passwords.verify

    async def then_changed(passwords: Passwords, stored: str | None, given: str) -> bool:
        right = await verify(passwords, stored, given)
        monkeypatch.undo()
        owner = browser(client)
        owner.cookies.set("quartet_wind", mine)
        new = {"password": "wind from the east", "current": PASSWORD}
        assert (await owner.put("/api/me/password", json=new)).status_code == 200
        return right

    monkeypatch.setattr(Passwords, "verify", then_changed)
    body = {"password": "wind from the west", "current": PASSWORD}
    assert await client.code("PUT", "/api/me/password", json=body) == (403, "wrong_password")
    assert await sign_in_with_password(browser(client), ADA, "wind from the east") == (200, None)


async def test_password_change_requires_current_password(client: Client) -> None:
    await sign_up_with_password(client, ADA)
    for body in ({"password": "another one"}, {"password": "another one", "current": "wrong"}):
        refused = await client.code("PUT", "/api/me/password", json=body)
        assert refused == (403, "wrong_password")
    short = {"password": "short", "current": PASSWORD}
    refused = await client.code("PUT", "/api/me/password", json=short)
    assert refused == (400, "password_too_short")


async def test_password_requires_email_address(client: Client) -> None:
    device = await sign_up(client)
    body = {"password": PASSWORD}
    refused = await client.code("PUT", "/api/me/password", json=body)
    assert refused == (409, "email_needed")
    me = (await client.patch("/api/me", json={"email": ADA})).json()
    assert (me["email"], me["emailConfirmed"]) == (ADA, False)
    assert (await client.put("/api/me/password", json=body)).json()["hasPassword"]
    refused = await client.code("PATCH", "/api/me", json={"email": None})
    assert refused == (409, "email_needed")
    assert await sign_in_with_password(browser(client), ADA) == (200, None)
    assert (await sign_in(browser(client), device))["email"] == ADA


async def test_email_address_belongs_to_one_account(client: Client) -> None:
    await sign_up_with_password(client, ADA)
    other = browser(client)
    await sign_up(other, "Bob")
    for spelling in ("ada@example.org", "ADA@EXAMPLE.ORG", "\uff21da@example.org"):
        refused = await other.code("PATCH", "/api/me", json={"email": spelling})
        assert refused == (409, "email_taken")


NO_ADDRESSES = (
    *("", "ada", "@example.org", "ada@", "a b@example.org", "a@b@c", "ada@ex\x00ample.org"),
    *("ada@example.org\r\nBcc: all@example.org", "<ada@example.org>", "a" * 255 + "@b.org"),
)


async def test_invalid_email_addresses_are_rejected(client: Client) -> None:
    for email in NO_ADDRESSES:
        body = {"name": "Ada", "email": email, "password": PASSWORD}
        refused = await client.code("POST", "/api/auth/signup/password", json=body)
        assert refused in [(400, "invalid_email"), (400, "invalid_request")], email


async def test_sign_out_here_and_in_other_browsers(client: Client) -> None:
    device = await sign_up(client)
    others = [browser(client) for _ in range(3)]
    for other in others:
        await sign_in(other, device)
    before = others[0].cookies["quartet_wind"]
    assert (await others[0].post("/api/auth/signout")).status_code == 204
    assert "quartet_wind" not in others[0].cookies
    others[0].cookies.set("quartet_wind", before)
    assert await others[0].code("GET", "/api/me") == (401, "signed_out")
    me = (await client.post("/api/auth/signout/others")).json()
    assert [each["current"] for each in me["sessions"]] == [True]
    assert await others[1].code("GET", "/api/me") == (401, "signed_out")
    assert (await others[1].post("/api/auth/signout")).status_code == 204


async def test_deleted_account_is_removed_with_all_data(client: Client) -> None:
    device = await sign_up(client)
    other = browser(client)
    await sign_in(other, device)
    number = await my_id(client)
    answer = await client.delete("/api/me")
    assert (answer.status_code, answer.headers["cache-control"]) == (204, "private, no-store")
    for each in (client, other):
        assert await each.code("GET", "/api/me") == (401, "signed_out")
    options = (await other.post("/api/auth/signin")).json()["options"]
    body = {"credential": device.get(options)}
    refused = await other.code("POST", "/api/auth/signin/finish", json=body)
    assert refused == (401, "wrong_credentials")
    # Ids of deleted accounts are not reused.
    await sign_up(client, "Bob")
    assert await my_id(client) > number
    assert (await service_of(client, Users).list()).total == 1


async def test_own_data_can_be_exported(client: Client) -> None:
    await sign_up_with_password(client, ADA)
    service_of(client, Users).exports["answers"] = lambda user: asyncio.sleep(0, {"to all": 42})
    answer = await client.get("/api/me/export")
    found = answer.json()
    assert found["account"]["email"] == ADA
    assert found["answers"] == {"to all": 42}
    assert "argon2" not in answer.text and "hash" not in answer.text.lower()


async def test_personal_responses_are_not_cached(client: Client) -> None:
    await sign_up(client)
    for method, path, body in (
        ("GET", "/api/me", None),
        ("GET", "/api/me/export", None),
        ("PATCH", "/api/me", {"name": "Bob"}),
        ("POST", "/api/auth/signin", None),
        ("POST", "/api/auth/signup", {"name": "Bob"}),
        ("POST", "/api/auth/signout/others", None),
    ):
        answer = await client.request(method, path, json=body)
        assert answer.headers["cache-control"] == "private, no-store", path


async def test_cross_site_requests_change_nothing(client: Client) -> None:
    await sign_up(client)
    for headers in (
        {"origin": "https://evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"origin": f"http://localhost:{free_port()}"},
    ):
        refused = await client.code("DELETE", "/api/me", headers=headers)
        assert refused == (403, "unauthorized_origin")
    form = {"content-type": "text/plain"}
    refused = await client.code("PATCH", "/api/me", content='{"name": "x"}', headers=form)
    assert refused == (415, "wrong_content_type")
