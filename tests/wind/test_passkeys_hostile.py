"""Passkey responses that are replayed, forged, late or for another account."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import update

from quartet.kernel.errors import AppError
from quartet.wind.accounts import webauthn_adapter
from quartet.wind.accounts.tables import ceremonies
from tests.client import Client
from tests.wind.account_setup import add_passkey, browser, sign_in, sign_up, site
from tests.wind.authenticator import Authenticator, decode, encode

pytestmark = pytest.mark.anyio
FINISH = "/api/auth/signin/finish"
EXPIRED = (400, "challenge_expired")
WRONG = (401, "wrong_credentials")


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Client]:
    async with site(tmp_path) as client:
        yield client


async def asked(client: Client, path: str = "signin", **body: Any) -> dict[str, Any]:
    answer = await client.post(f"/api/auth/{path}", json=body or None)
    options: dict[str, Any] = answer.json()["options"]
    return options


async def test_response_can_be_used_once(client: Client) -> None:
    device = await sign_up(client)
    body = {"credential": device.get(await asked(client))}
    cookie = client.cookies["quartet_wind_ceremony"]
    assert (await client.post(FINISH, json=body)).status_code == 200
    client.cookies["quartet_wind_ceremony"] = cookie
    assert await client.code("POST", FINISH, json=body) == EXPIRED


async def test_one_of_two_concurrent_responses_is_accepted(client: Client) -> None:
    device = Authenticator()
    body = {"credential": device.create(await asked(client, "signup", name="Ada"))}
    answers = await asyncio.gather(
        *(client.post("/api/auth/signup/finish", json=body) for _ in range(8))
    )
    assert sorted(each.status_code for each in answers) == [200] + [400] * 7


async def test_challenge_of_another_browser_is_rejected(client: Client) -> None:
    device, other = await sign_up(client), browser(client)
    body = {"credential": device.get(await asked(client))}
    assert await other.code("POST", FINISH, json=body) == EXPIRED
    await asked(other)
    assert await other.code("POST", FINISH, json=body) == WRONG
    # The attempt used up the challenge of that browser, and of no other.
    mine = {"credential": device.get(await asked(client))}
    assert (await client.post(FINISH, json=mine)).status_code == 200


async def test_late_response_is_rejected(client: Client) -> None:
    device = await sign_up(client)
    body = {"credential": device.get(await asked(client))}
    await client.started.kernel.db.write(
        lambda tx: tx.conn.execute(update(ceremonies).values(expires_at=1))
    )
    assert await client.code("POST", FINISH, json=body) == EXPIRED


async def test_failed_response_uses_up_the_challenge(client: Client) -> None:
    device = await sign_up(client)
    good = device.get(await asked(client))
    cookie = client.cookies["quartet_wind_ceremony"]
    bad = {**good, "response": {**good["response"], "signature": encode(b"no")}}
    assert await client.code("POST", FINISH, json={"credential": bad}) == WRONG
    client.cookies["quartet_wind_ceremony"] = cookie
    assert await client.code("POST", FINISH, json={"credential": good}) == EXPIRED


async def test_challenge_is_for_one_purpose(client: Client) -> None:
    device = await sign_up(client)
    new = {"credential": device.create(await asked(client, "passkeys"))}
    assert await client.code("POST", "/api/auth/signup/finish", json=new) == EXPIRED
    signing_in = {"credential": device.get(await asked(client), device.keys[0])}
    assert await client.code("POST", "/api/auth/passkeys/finish", json=signing_in) == EXPIRED


async def test_passkey_is_added_only_for_the_user_who_began(client: Client) -> None:
    await sign_up(client)
    bob = await sign_up(browser(client), "Bob")
    body = {"credential": Authenticator().create(await asked(client, "passkeys"))}
    cookie = client.cookies["quartet_wind_ceremony"]
    assert (await sign_in(client, bob))["name"] == "Bob"
    client.cookies["quartet_wind_ceremony"] = cookie
    assert await client.code("POST", "/api/auth/passkeys/finish", json=body) == EXPIRED


Forge = Callable[[Authenticator, Authenticator, dict[str, Any]], dict[str, Any]]


def other_origin(mine: Authenticator, _bob: Authenticator, options: Any) -> dict[str, Any]:
    mine.origin = "http://localhost:8451"
    return mine.get(options)


def other_site(mine: Authenticator, _bob: Authenticator, options: Any) -> dict[str, Any]:
    mine.keys[0].party = "evil.example"
    return mine.get(options, mine.keys[0])


def nobody_asked(mine: Authenticator, _bob: Authenticator, options: Any) -> dict[str, Any]:
    mine.verifies = False
    return mine.get(options)


def name_of_bob(mine: Authenticator, bob: Authenticator, options: Any) -> dict[str, Any]:
    mine.keys[0].handle = bob.keys[0].handle
    return mine.get(options)


def passkey_of_bob(mine: Authenticator, bob: Authenticator, options: Any) -> dict[str, Any]:
    mine.keys[0].id, mine.keys[0].handle = bob.keys[0].id, bob.keys[0].handle
    return mine.get(options)


def unknown_passkey(mine: Authenticator, _bob: Authenticator, options: Any) -> dict[str, Any]:
    mine.keys[0].id = b"unknown"
    return mine.get(options)


def no_name(mine: Authenticator, _bob: Authenticator, options: Any) -> dict[str, Any]:
    credential = mine.get(options)
    del credential["response"]["userHandle"]
    return credential


FORGERIES: tuple[Forge, ...] = (
    other_origin,
    other_site,
    nobody_asked,
    name_of_bob,
    passkey_of_bob,
    unknown_passkey,
    no_name,
)


async def test_forged_response_is_rejected(client: Client) -> None:
    bob, visitor = await sign_up(browser(client), "Bob"), browser(client)
    for forge in FORGERIES:
        credential = forge(await sign_up(browser(client)), bob, await asked(visitor))
        refused = await visitor.code("POST", FINISH, json={"credential": credential})
        assert refused == WRONG, forge.__name__
    assert await visitor.code("GET", "/api/me") == (401, "signed_out")


async def test_cloned_passkey_is_detected_by_counter(client: Client) -> None:
    await sign_up(client)
    device = Authenticator(counts=True)
    await add_passkey(client, device, "Key ring")
    await sign_in(client, device)
    device.keys[0].uses = 0
    body = {"credential": device.get(await asked(client))}
    assert await client.code("POST", FINISH, json=body) == WRONG


async def test_new_passkey_must_be_verified(client: Client) -> None:
    for device in (Authenticator("http://evil.example"), Authenticator(verifies=False)):
        body = {"credential": device.create(await asked(client, "signup", name="Ada"))}
        refused = await client.code("POST", "/api/auth/signup/finish", json=body)
        assert refused == (400, "passkey_refused")


async def test_passkey_cannot_belong_to_two_accounts(client: Client) -> None:
    device, other = await sign_up(client), browser(client)
    mine = device.keys[0]
    thief = Authenticator()
    credential = thief.create(await asked(other, "signup", name="Bob"))
    raw = decode(credential["response"]["attestationObject"])
    raw = raw.replace(thief.keys[0].id, mine.id)
    credential["response"]["attestationObject"] = encode(raw)
    credential["id"] = credential["rawId"] = encode(mine.id)
    body = {"credential": credential}
    refused = await other.code("POST", "/api/auth/signup/finish", json=body)
    assert refused == (409, "passkey_known")
    assert await other.code("GET", "/api/me") == (401, "signed_out")


async def test_session_cookie_changes_on_sign_in(client: Client) -> None:
    device = await sign_up(client)
    before = client.cookies["quartet_wind"]
    visitor = browser(client)
    visitor.cookies.set("quartet_wind", before, domain="localhost.local", path="/")
    await sign_in(visitor, device)
    assert visitor.cookies["quartet_wind"] != before
    # A planted or known cookie gives no access to the account.
    assert await client.code("GET", "/api/me") == (401, "signed_out")


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "rawId", "type", "response", "clientDataJSON", "userHandle"])
            | st.text(max_size=5),
            inner,
            max_size=6,
        )
    ),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from(["id", "rawId", "type", "response"]), ANYTHING))
def test_arbitrary_response_is_handled(credential: dict[str, Any]) -> None:
    party = webauthn_adapter.RelyingParty("localhost", "http://localhost")
    with pytest.raises(AppError) as refused:
        asyncio.run(webauthn_adapter.verify_new(party, credential, b"challenge"))
    assert refused.value.code == "passkey_refused"


def test_nested_client_data_is_rejected() -> None:
    party = webauthn_adapter.RelyingParty("localhost", "http://localhost")
    credential = {"response": {"clientDataJSON": encode(b'{"a":' + b"[" * 20_000)}}
    with pytest.raises(AppError, match="passkey_refused"):
        asyncio.run(webauthn_adapter.verify_new(party, credential, b"challenge"))


async def test_malformed_responses_are_rejected(client: Client) -> None:
    strange: list[Any] = [{}, {"id": 5}, {"id": "é"}, {"response": []}, {"id": "A" * 5000}]
    for credential in strange:
        await asked(client)
        assert await client.code("POST", FINISH, json={"credential": credential}) == WRONG
    bodies: list[Any] = [{}, {"credential": 7}, []]
    for body in bodies:
        status, _code = await client.code("POST", FINISH, json=body)
        assert status == 400
    far = await client.code("DELETE", f"/api/auth/passkeys/{10**30}")
    assert far == (401, "signed_out")
    await sign_up(client)
    status, _code = await client.code("DELETE", f"/api/auth/passkeys/{10**30}")
    assert status == 400


async def test_ceremony_in_a_frame_of_another_site_is_rejected(client: Client) -> None:
    framed = Authenticator(framed=True)
    body = {"credential": framed.create(await asked(client, "signup", name="Ada"))}
    refused = await client.code("POST", "/api/auth/signup/finish", json=body)
    assert refused == (400, "passkey_refused")
    device = await sign_up(client)
    device.framed = True
    body = {"credential": device.get(await asked(client))}
    assert await client.code("POST", FINISH, json=body) == WRONG
    device.framed = False
    body = {"credential": device.get(await asked(client))}
    assert (await client.post(FINISH, json=body)).status_code == 200
