"""Passkeys: sign-up, sign-in, and managing several passkeys."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quartet.wind.accounts.passkeys import AT_MOST
from tests.client import Client
from tests.wind.account_setup import add_passkey, browser, sign_in, sign_up, site
from tests.wind.authenticator import Authenticator

pytestmark = pytest.mark.anyio


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Client]:
    async with site(tmp_path) as client:
        yield client


async def test_sign_up_and_sign_in_without_user_name(client: Client) -> None:
    device = await sign_up(client, "  Ada \u00a0 Lovelace ")
    me = (await client.get("/api/me")).json()
    assert (me["name"], me["role"], me["hasPassword"]) == ("Ada Lovelace", "user", False)
    (passkey,) = me["passkeys"]
    assert (passkey["name"], passkey["synced"], passkey["lastUsedAt"]) == ("", True, None)
    assert [each["current"] for each in me["sessions"]] == [True]
    other = browser(client)
    assert await other.code("GET", "/api/me") == (401, "signed_out")
    again = await sign_in(other, device)
    assert (again["id"], len(again["sessions"])) == (me["id"], 2)
    assert again["passkeys"][0]["lastUsedAt"] is not None


async def test_discoverable_passkey_is_requested(client: Client) -> None:
    answer = await client.post("/api/auth/signup", json={"name": "Ada"})
    options = answer.json()["options"]
    assert options["rp"]["id"] == "localhost"
    assert options["authenticatorSelection"]["residentKey"] == "required"
    assert options["authenticatorSelection"]["userVerification"] == "required"
    assert options["attestation"] == "none"
    asked = (await client.post("/api/auth/signin")).json()["options"]
    assert (asked["rpId"], asked["allowCredentials"]) == ("localhost", [])
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and "max-age=300" in cookie


async def test_passkeys_are_added_renamed_and_deleted(client: Client) -> None:
    first, second = await sign_up(client), Authenticator(counts=True)
    me = await add_passkey(client, second, "Yubi")
    old, new = me["passkeys"]
    assert (new["name"], new["synced"]) == ("Yubi", False)
    options = (await client.post("/api/auth/passkeys")).json()["options"]
    assert len(options["excludeCredentials"]) == 2
    path = f"/api/auth/passkeys/{new['id']}"
    renamed = await client.patch(path, json={"name": "Key ring"})
    assert renamed.json()["name"] == "Key ring"
    other = browser(client)
    assert (await sign_in(other, second))["id"] == me["id"]
    assert (await sign_in(other, second))["id"] == me["id"]
    assert (await client.delete(f"/api/auth/passkeys/{old['id']}")).status_code == 204
    options = (await other.post("/api/auth/signin")).json()["options"]
    body = {"credential": first.get(options)}
    refused = await other.code("POST", "/api/auth/signin/finish", json=body)
    assert refused == (401, "wrong_credentials")


async def test_last_passkey_of_account_without_password_cannot_be_deleted(client: Client) -> None:
    await sign_up(client)
    (only,) = (await client.get("/api/me")).json()["passkeys"]
    path = f"/api/auth/passkeys/{only['id']}"
    assert await client.code("DELETE", path) == (409, "last_passkey")
    assert len((await client.get("/api/me")).json()["passkeys"]) == 1
    await client.patch("/api/me", json={"email": "ada@example.org"})
    await client.put("/api/me/password", json={"password": "wind from the west"})
    assert (await client.delete(path)).status_code == 204


async def test_concurrent_deletion_keeps_one_of_two_passkeys(client: Client) -> None:
    await sign_up(client)
    both = (await add_passkey(client, Authenticator(), "Key ring"))["passkeys"]
    answers = await asyncio.gather(
        *(client.delete(f"/api/auth/passkeys/{each['id']}") for each in both)
    )
    assert sorted(each.status_code for each in answers) == [204, 409]


async def test_passkeys_of_other_users_are_not_found(client: Client) -> None:
    await sign_up(client)
    other = browser(client)
    await sign_up(other, "Bob")
    (theirs,) = (await other.get("/api/me")).json()["passkeys"]
    path = f"/api/auth/passkeys/{theirs['id']}"
    assert await client.code("DELETE", path) == (404, "not_found")
    assert await client.code("PATCH", path, json={"name": "mine"}) == (404, "not_found")


async def test_number_of_passkeys_is_limited(client: Client) -> None:
    await sign_up(client)
    for number in range(AT_MOST - 1):
        await add_passkey(client, Authenticator(), f"Key {number}")
    full = await client.code("POST", "/api/auth/passkeys")
    assert full == (422, "too_many_passkeys")


async def test_relying_party_comes_from_public_address_only(tmp_path: Path) -> None:
    async with site(tmp_path, public_url="https://wind.example.org/site") as plain:
        client = browser(plain, base="https://wind.example.org")
        answer = await client.post(
            "/api/auth/signin",
            headers={"host": "evil.example", "x-forwarded-host": "evil.example"},
        )
        assert answer.json()["options"]["rpId"] == "wind.example.org"
        device = Authenticator("https://wind.example.org")
        options = (await client.post("/api/auth/signup", json={"name": "Ada"})).json()["options"]
        body = {"credential": device.create(options)}
        assert (await client.post("/api/auth/signup/finish", json=body)).status_code == 200


async def test_passkeys_without_public_address_work_on_localhost_only(client: Client) -> None:
    for base in ("http://192.168.1.5:8450", "http://wind.lan", "http://127.0.0.1"):
        far = browser(client, base=base)
        for path, body in (("signin", None), ("signup", {"name": "Ada"})):
            refused = await far.code("POST", f"/api/auth/{path}", json=body)
            assert refused == (409, "passkeys_unavailable")


async def test_cookies_are_host_bound_over_https(tmp_path: Path) -> None:
    async with site(tmp_path, public_url="https://wind.example.org") as plain:
        client = browser(plain, base="https://wind.example.org")
        device = Authenticator("https://wind.example.org")
        options = (await client.post("/api/auth/signup", json={"name": "Ada"})).json()["options"]
        body = {"credential": device.create(options)}
        answer = await client.post("/api/auth/signup/finish", json=body)
        cookies = [each.lower() for each in answer.headers.get_list("set-cookie")]
        assert all(each.startswith("__host-") and "secure" in each for each in cookies)
        (session,) = [each for each in cookies if each.startswith("__host-quartet_wind=")]
        assert "httponly" in session and "samesite=lax" in session
        assert "max-age=15724800" in session
