"""Sign-in with an OpenID Connect provider."""

import logging
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from joserfc.jwk import OctKey, RSAKey

from quartet.kernel.settings import SettingsError
from quartet.sync.settings import SyncSettings, oidc_roles, prepare
from tests.client import NO_AUTHORITIES
from tests.sync.oidc_provider import CLIENT_ID, CLIENT_SECRET, FakeProvider, running_provider
from tests.sync.running_app import RunningApp, running_app, until

pytestmark = pytest.mark.anyio


@pytest.fixture
async def provider() -> AsyncIterator[FakeProvider]:
    async with running_provider() as provider:
        yield provider


@pytest.fixture
async def app(data: Path, provider: FakeProvider) -> AsyncIterator[RunningApp]:
    settings: dict[str, Any] = {
        "oidc_issuer": provider.issuer,
        "oidc_client_id": CLIENT_ID,
        "oidc_client_secret": CLIENT_SECRET,
        "oidc_name": "Example",
        "oidc_roles": ("admins=admin", "family=editor", "guests=reader"),
    }
    async with running_app(data, **settings) as app:
        yield app


@asynccontextmanager
async def browser(app: RunningApp) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=app.url, verify=NO_AUTHORITIES, timeout=30) as client:
        yield client


async def begin(person: httpx.AsyncClient, **body: Any) -> str:
    """Begin to sign in, and return the address at which the provider sends the browser back."""
    answer = await person.post("/api/oidc/login", json=body)
    assert answer.status_code == 200, answer.text
    page = await person.get(answer.json()["url"])
    assert page.status_code == 302, page.text
    return page.headers["location"]


async def sign_in(person: httpx.AsyncClient, **body: Any) -> str:
    """Sign in, and return the page that is shown next."""
    answer = await person.get(await begin(person, **body))
    assert answer.status_code == 303, answer.text
    location: str = answer.headers["location"]
    return location


def failed(code: str) -> str:
    return f"/?sign-in-error={code}"


async def test_group_member_gets_account_with_role(
    app: RunningApp, provider: FakeProvider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    provider.user_info = {"preferred_username": "Ada Lovelace", "groups": ["family", "guests"]}
    async with browser(app) as ada:
        assert (await ada.get("/api/session")).json()["provider"] == "Example"
        assert await sign_in(ada, next="/folders/3?tab=versions") == "/folders/3?tab=versions"
        state = (await ada.get("/api/session")).json()
        assert (state["account"], state["role"]) == ("ada-lovelace", "editor")
        assert state["connected"] and state["noPassword"]
        # No device is assigned yet, so the person sees nothing.
        await app.folder("Photos")
        assert (await ada.get("/api/overview")).json()["folders"] == []
        # The groups decide the role at each sign-in.
        provider.user_info["groups"] = ["guests"]
        await sign_in(ada)
        assert (await ada.get("/api/session")).json()["role"] == "reader"
        [shown] = await app.get("/api/accounts")
        assert (shown["connected"], shown["followsGroups"]) == (True, True)
        answer = await ada.post("/api/oidc/logout", headers=await csrf(ada))
        page = urlsplit(answer.json()["url"])
        assert page.path == "/realm/logout"
        assert parse_qs(page.query)["post_logout_redirect_uri"] == [app.url + "/"]
        assert (await ada.post("/api/logout", headers=await csrf(ada))).status_code == 204
        assert not (await ada.get("/api/session")).json()["loggedIn"]
        provider.user_info["groups"] = []
        assert await sign_in(ada) == failed("oidc_no_account")
    assert CLIENT_SECRET not in caplog.text

    async def entries() -> set[tuple[str, str, str]]:
        found = (await app.get("/api/system/audit"))["entries"]
        return {(each["event"], each["user"], each["code"]) for each in found}

    async def complete() -> bool:
        name = "ada-lovelace"
        events = ("account_created", "signed_in", "role_changed")
        refused = ("login_failed", "", "oidc_no_account")
        return {refused, *((event, name, "") for event in events)} <= await entries()

    await until(complete)


async def csrf(person: httpx.AsyncClient) -> dict[str, str]:
    return {"x-csrf-token": (await person.get("/api/session")).json()["csrfToken"]}


async def test_person_without_group_is_signed_out_everywhere(
    app: RunningApp, provider: FakeProvider
) -> None:
    provider.user_info = {"preferred_username": "ada", "groups": ["admins"]}
    async with browser(app) as ada, browser(app) as other:
        await sign_in(ada)
        await sign_in(other)
        assert (await ada.get("/api/accounts")).status_code == 200
        provider.user_info["groups"] = []
        assert await sign_in(other) == failed("oidc_no_account")
        for person in (ada, other):
            assert (await person.get("/api/overview")).status_code == 401


async def test_session_of_provider_lasts_a_day(
    app: RunningApp, provider: FakeProvider, data: Path
) -> None:
    provider.user_info = {"preferred_username": "ada", "groups": ["guests"]}
    async with browser(app) as ada:
        await sign_in(ada)
        query = "SELECT expires_at - created_at FROM sessions WHERE subject = 'ada'"
        with closing(sqlite3.connect(data / "sync.sqlite3")) as database:
            assert database.execute(query).fetchall() == [(24 * 3600,)]
            database.execute("UPDATE sessions SET expires_at = 1 WHERE subject = 'ada'")
            database.commit()

        async def signed_out() -> bool:
            return (await ada.get("/api/overview")).status_code == 401

        await until(signed_out)


async def test_name_alone_never_gives_access_to_account(
    app: RunningApp, provider: FakeProvider
) -> None:
    await app.post("/api/accounts", {"name": "ada", "role": "admin"})
    provider.user_info = {"preferred_username": "ada", "groups": ["guests"]}
    async with browser(app) as other:
        await sign_in(other)
        state = (await other.get("/api/session")).json()
        assert (state["account"], state["role"]) == ("ada-2", "reader")
    provider.subject, provider.user_info["preferred_username"] = "person-2", "admin"
    async with browser(app) as other:
        await sign_in(other)
        assert (await other.get("/api/session")).json()["account"] == "admin-2"


async def test_invited_person_connects_account(app: RunningApp, provider: FakeProvider) -> None:
    async with browser(app) as ada:
        # Without a group or an invitation there is no account.
        assert await sign_in(ada) == failed("oidc_no_account")
        await app.post("/api/accounts", {"name": "ada", "role": "editor"})
        token = (await app.post("/api/accounts/ada/invitation"))["token"]
        assert await sign_in(ada, invitation=token) == "/"
        assert (await ada.get("/api/session")).json()["account"] == "ada"
    async with browser(app) as ada:
        # The role stays as the admin chose it, regardless of the groups.
        provider.user_info = {"groups": ["admins"]}
        assert await sign_in(ada) == "/"
        state = (await ada.get("/api/session")).json()
        assert (state["account"], state["role"]) == ("ada", "editor")
        used = await ada.post("/api/oidc/login", json={"invitation": token})
        assert (used.status_code, used.json()["code"]) == (404, "invitation_not_found")
        # The same person cannot take a second account.
        await app.post("/api/accounts", {"name": "bob"})
        token = (await app.post("/api/accounts/bob/invitation"))["token"]
        assert await sign_in(ada, invitation=token) == failed("oidc_connected")
        await app.admin.delete("/api/accounts/ada")
        assert (await ada.get("/api/overview")).status_code == 401


def forge_key(provider: FakeProvider) -> None:
    provider.signing_key = RSAKey.generate_key(2048, {"kid": "unknown"})


def forge_known_key(provider: FakeProvider) -> None:
    provider.signing_key = RSAKey.generate_key(2048, {"kid": "known"})


def sign_with_secret(provider: FakeProvider) -> None:
    """Sign with a shared secret, which a verifier of public keys must not accept."""
    secret = OctKey.import_key(CLIENT_SECRET, {"kid": "known"})
    provider.signing_key = secret  # type: ignore[assignment]
    provider.algorithm = "HS256"


def claim(**claims: Any) -> Callable[[FakeProvider], None]:
    return lambda provider: provider.claims.update(claims)


FORGERIES: dict[str, Callable[[FakeProvider], None]] = {
    "wrong nonce": claim(nonce="another"),
    "no nonce": claim(nonce=None),
    "wrong audience": claim(aud="another client"),
    "several audiences": claim(aud=[CLIENT_ID, "another"], azp="another"),
    "wrong issuer": claim(iss="http://127.0.0.1:1/realm"),
    "expired": claim(exp=int(time.time()) - 3600, iat=int(time.time()) - 7200),
    "no expiry": claim(exp=None),
    "no subject": claim(sub=None),
    "wrong access token": claim(at_hash="bm90IHRoZSBoYXNoIG9mIGl0"),
    "unknown key": forge_key,
    "forged key": forge_known_key,
    "shared secret": sign_with_secret,
    "another person": lambda provider: provider.user_info.update(sub="person-2"),
}


async def test_forged_tokens_are_refused(app: RunningApp, provider: FakeProvider) -> None:
    async with browser(app) as person:
        key = provider.key
        for name, forge in FORGERIES.items():
            provider.claims, provider.user_info = {}, {"groups": ["admins"]}
            provider.signing_key, provider.algorithm = key, "RS256"
            forge(provider)
            assert await sign_in(person) == failed("oidc_failed"), name
        assert await app.get("/api/accounts") == []


async def test_answers_of_other_browsers_and_replays_are_refused(
    app: RunningApp, provider: FakeProvider
) -> None:
    provider.user_info = {"groups": ["guests"]}
    async with browser(app) as person, browser(app) as other:
        address = await begin(person)
        # Another browser did not begin this sign-in; its try ends the attempt.
        assert (await other.get(address)).headers["location"] == failed("oidc_expired")
        assert (await person.get(address)).headers["location"] == failed("oidc_expired")
        address = await begin(person)
        assert (await person.get(address)).headers["location"] == "/"
        assert (await person.get(address)).headers["location"] == failed("oidc_expired")
        for wrong, code in (
            (("code=", "code=x"), "oidc_failed"),
            (("iss=", "iss=x"), "oidc_failed"),
            (("state=", "state=x"), "oidc_expired"),
            (("code=", "error=access_denied&ignored="), "oidc_denied"),
        ):
            address = (await begin(person)).replace(*wrong)
            assert (await person.get(address)).headers["location"] == failed(code)


async def test_foreign_hosts_are_refused(app: RunningApp, provider: FakeProvider) -> None:
    provider.user_info = {"groups": ["guests"]}
    async with browser(app) as person:
        for page in ("https://evil.example", "//evil.example", "/\\evil.example", "evil"):
            answer = await person.post("/api/oidc/login", json={"next": page})
            assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request"), page
        broken = await begin(person, next="/folders\n")
        assert (await person.get(broken)).headers["location"] == "/folders"
        forged = {"host": "evil.example"}
        answer = await person.post("/api/oidc/login", json={}, headers=forged)
        assert (answer.status_code, answer.json()["code"]) == (403, "host_not_allowed")
        # The client secret must not follow a redirect.
        provider.redirects_to = "http://127.0.0.1:1/token"
        assert await sign_in(person) == failed("oidc_unreachable")
        provider.redirects_to = ""
        # Only the host of the issuer may be private.
        address = await begin(person)
        provider.discovery = {"jwks_uri": "http://127.0.0.2:1/keys"}
        assert (await person.get(address)).headers["location"] == failed("oidc_unreachable")
        for wrong in ({"issuer": "http://127.0.0.1:1"}, {"token_endpoint": "file:///token"}):
            provider.discovery = wrong
            answer = await person.post("/api/oidc/login", json={})
            assert (answer.status_code, answer.json()["code"]) == (502, "oidc_unreachable")


async def test_sign_in_needs_provider(data: Path) -> None:
    async with running_app(data) as app, browser(app) as person:
        assert "provider" not in (await person.get("/api/session")).json()
        answer = await person.post("/api/oidc/login", json={})
        assert (answer.status_code, answer.json()["code"]) == (404, "oidc_disabled")
        answer = await person.get("/api/oidc/callback", params={"state": "x", "code": "y"})
        assert answer.headers["location"] == failed("oidc_disabled")


@pytest.mark.parametrize(
    ("issuer", "client", "roles"),
    [
        ("https://login.example.org", None, ()),
        ("http://login.example.org", "quartet", ()),
        ("ftp://login.example.org", "quartet", ()),
        ("https://login.example.org", "quartet", ("family",)),
        ("https://login.example.org", "quartet", ("family=owner",)),
    ],
)
def test_unusable_provider_stops_start(
    issuer: str, client: str | None, roles: tuple[str, ...]
) -> None:
    with pytest.raises(SettingsError):
        prepare(SyncSettings(oidc_issuer=issuer, oidc_client_id=client, oidc_roles=roles))


def test_groups_may_contain_equals_signs() -> None:
    settings = SyncSettings(oidc_roles=("cn=admins=admin", "* = reader"))
    assert oidc_roles(settings) == [("cn=admins", "admin"), ("*", "reader")]
