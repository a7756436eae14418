import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from quartet.cli import main
from quartet.downloads.app import SERVICE
from quartet.downloads.login.service import Login
from quartet.downloads.login.setup_code import FILE_NAME
from quartet.kernel.audit.types import AuditEntry
from quartet.kernel.auth import Passwords
from tests.client import Client, client_at, client_of
from tests.downloads.first_user import USER, first_user

pytestmark = pytest.mark.anyio


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Client]:
    async with client_of(SERVICE, tmp_path) as client:
        yield client


async def state(client: Client) -> dict[str, object]:
    answer = await client.get("/api/auth/state")
    assert answer.status_code == 200
    body: dict[str, object] = answer.json()
    return body


def new_user(client: Client, **other: str) -> dict[str, str]:
    return first_user(client.started.kernel.settings.data, **other)


async def audit_entries(client: Client, event: str) -> list[AuditEntry]:
    return (await client.started.kernel.audit_log.page(None, event, 50)).entries


async def set_up(client: Client) -> None:
    answer = await client.post("/api/auth/setup", json=new_user(client))
    assert answer.status_code == 204


async def test_setup_needs_the_code_from_the_data_folder(client: Client, tmp_path: Path) -> None:
    for wrong in ("", "ABCD-EFGH"):
        body = {**USER, "code": wrong}
        assert await client.code("POST", "/api/auth/setup", json=body) == (403, "setup_code_wrong")
    assert (tmp_path / FILE_NAME).stat().st_mode & 0o777 == 0o600
    spoken = new_user(client)["code"].replace("-", " ").lower()
    body = {**USER, "code": spoken}
    assert (await client.post("/api/auth/setup", json=body)).status_code == 204
    assert not (tmp_path / FILE_NAME).exists()


async def test_setup_code_survives_a_restart(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        code = new_user(client)["code"]
    async with client_of(SERVICE, tmp_path) as client:
        assert new_user(client)["code"] == code
        await set_up(client)


async def test_guessing_the_setup_code_is_stopped(client: Client) -> None:
    body = {**USER, "code": "ABCD-EFGH"}
    answers = [await client.code("POST", "/api/auth/setup", json=body) for _ in range(20)]
    assert answers[-1] == (429, "too_many_attempts")
    entries = await audit_entries(client, "login_failed")
    assert {each.code for each in entries} == {"setup_code_wrong"}


async def test_setup_creates_user_and_signs_in(client: Client) -> None:
    assert await state(client) == {"setupRequired": True, "loggedIn": False, "user": None}
    await set_up(client)
    assert await state(client) == {"setupRequired": False, "loggedIn": True, "user": "ada"}


async def test_audit_log_names_the_user_of_a_sign_in(client: Client) -> None:
    await set_up(client)
    await client.post("/api/auth/login", json=USER)
    entries = await audit_entries(client, "signed_in")
    assert [entry.user for entry in entries] == [USER["user"]] * 2


async def test_everything_else_requires_a_session(client: Client) -> None:
    assert await client.code("GET", "/api/system") == (401, "signed_out")
    assert await client.code("GET", "/api/events") == (401, "signed_out")
    assert await client.code("POST", "/api/settings/api-token") == (401, "signed_out")


async def test_sign_out_ends_session_on_server(client: Client) -> None:
    await set_up(client)
    kept = dict(client.cookies)
    assert (await client.post("/api/auth/logout")).status_code == 204
    assert not client.cookies
    client.cookies.update(kept)
    assert await client.code("GET", "/api/system") == (401, "signed_out")


async def test_sign_in_again(client: Client) -> None:
    await set_up(client)
    await client.post("/api/auth/logout")
    assert (await client.post("/api/auth/login", json=USER)).status_code == 204
    assert (await client.get("/api/system")).status_code == 200


async def test_wrong_user_and_wrong_password_return_same_error(client: Client) -> None:
    await set_up(client)
    client.cookies.clear()
    for wrong in ({**USER, "password": "wrong password"}, {**USER, "user": "eve"}):
        answer = await client.post("/api/auth/login", json=wrong)
        assert (answer.status_code, answer.json()) == (401, {"code": "wrong_credentials"})
        assert not answer.cookies


# Two set-ups at once, and a set-up when a user exists.
async def test_only_one_of_two_setups_succeeds(client: Client) -> None:
    others = [client_at(client.started) for _ in range(5)]
    answers = await asyncio.gather(
        *(
            each.post("/api/auth/setup", json=new_user(client, user=f"u{n}"))
            for n, each in enumerate(others)
        )
    )
    assert sorted(answer.status_code for answer in answers) == [204, 409, 409, 409, 409]
    assert await client.code("POST", "/api/auth/setup", json=new_user(client)) == (
        409,
        "user_exists",
    )


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"user": "ada", "password": "short"}, "password_too_short"),
        ({"user": "ada", "password": "x" * 2000}, "password_too_long"),
        ({"user": "  ", "password": "long enough"}, "user_required"),
    ],
)
async def test_setup_rejects_invalid_credentials(
    client: Client, body: dict[str, str], code: str
) -> None:
    assert await client.code("POST", "/api/auth/setup", json=body) == (400, code)


async def test_name_with_nul_on_postgresql(postgres_url: str, tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path, database_url=postgres_url) as client:
        odd = {**USER, "user": "a\0da"}
        body = new_user(client, user="a\0da")
        assert (await client.post("/api/auth/setup", json=body)).status_code == 204
        assert (await state(client))["user"] == "ada"
        assert (await client.post("/api/auth/login", json=odd)).status_code == 204


async def test_sign_in_that_a_new_password_overtakes_is_refused(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its session would outlive the change, which ends all other sessions."""
    await set_up(client)
    verify = Passwords.verify

    async def then_changed(passwords: Passwords, stored: str | None, given: str) -> bool:
        right = await verify(passwords, stored, given)
        await asyncio.to_thread(Login(client.started.kernel).set_password, None, given + "x")
        return right

    monkeypatch.setattr(Passwords, "verify", then_changed)
    refused = (401, "wrong_credentials")
    assert await client.code("POST", "/api/auth/login", json=USER) == refused
    monkeypatch.undo()
    now = {**USER, "password": USER["password"] + "x"}
    assert (await client.post("/api/auth/login", json=now)).status_code == 204
    monkeypatch.setattr(Passwords, "verify", then_changed)
    body = {"current": now["password"], "new": "the password of eve"}
    overtaken = await client.code("POST", "/api/auth/password", json=body)
    assert overtaken == (400, "wrong_current_password")


async def test_parallel_password_guessing_is_stopped(client: Client) -> None:
    await set_up(client)
    wrong = {**USER, "password": "wrong password"}
    answers = await asyncio.gather(*(client.post("/api/auth/login", json=wrong) for _ in range(15)))
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [401] * 10 + [429] * 5
    blocked = await client.post("/api/auth/login", json=USER)
    assert blocked.json()["code"] == "too_many_attempts"
    assert 0 < int(blocked.headers["retry-after"]) <= 60


async def test_lockout_does_not_affect_other_addresses(client: Client) -> None:
    await set_up(client)
    for _ in range(11):
        await client.post("/api/auth/login", json={**USER, "password": "wrong password"})
    async with client_at(client.started, peer="203.0.113.7") as other:
        assert (await other.post("/api/auth/login", json=USER)).status_code == 204


async def test_new_password_ends_all_other_sessions(client: Client) -> None:
    await set_up(client)
    async with client_at(client.started) as other:
        await other.post("/api/auth/login", json=USER)
        change = {"current": USER["password"], "new": "battery staple"}
        assert (await client.post("/api/auth/password", json=change)).status_code == 204
        assert await other.code("GET", "/api/system") == (401, "signed_out")
        assert (await client.get("/api/system")).status_code == 200
        assert await other.code("POST", "/api/auth/login", json=USER) == (401, "wrong_credentials")


async def test_changing_password_requires_the_old_one(client: Client) -> None:
    await set_up(client)
    change = {"current": "wrong password", "new": "battery staple"}
    expected = (400, "wrong_current_password")
    assert await client.code("POST", "/api/auth/password", json=change) == expected
    [entry] = await audit_entries(client, "login_failed")
    assert (entry.code, entry.path) == ("wrong_current_password", "/api/auth/password")


async def test_new_api_token_replaces_the_old_one(client: Client) -> None:
    await set_up(client)
    first = (await client.post("/api/settings/api-token")).json()["token"]
    second = (await client.post("/api/settings/api-token")).json()["token"]
    client.cookies.clear()
    old = {"authorization": f"Bearer {first}"}
    new = {"authorization": f"Bearer {second}"}
    assert await client.code("GET", "/api/system", headers=old) == (401, "signed_out")
    assert (await client.get("/api/system", headers=new)).status_code == 200


async def test_secrets_are_not_stored_in_plain_text(client: Client, tmp_path: Path) -> None:
    await set_up(client)
    token = (await client.post("/api/settings/api-token")).json()["token"]
    session = next(iter(client.cookies.values()))
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("downloads.sqlite3*"))
    for secret in (USER["password"], token, session):
        assert secret.encode() not in stored


async def test_cookie_is_protected_from_scripts_and_other_sites(client: Client) -> None:
    answer = await client.post("/api/auth/setup", json=new_user(client))
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("quartet_downloads=")
    assert {"HttpOnly", "SameSite=lax", "Path=/", "Max-Age=2592000"} <= set(cookie.split("; "))


async def test_cookie_is_secure_behind_https(client: Client) -> None:
    https = {"x-forwarded-proto": "https"}
    answer = await client.post("/api/auth/setup", json=new_user(client), headers=https)
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-quartet_downloads=")
    assert "Secure" in cookie.split("; ")


async def test_set_password_command_creates_the_user_and_later_signs_everybody_out(
    tmp_path: Path,
) -> None:
    data = tmp_path / "downloads"
    assert set_password(tmp_path, "first password") == "Password saved for admin.\n"
    assert not (data / FILE_NAME).exists()
    async with client_of(SERVICE, data) as client:
        body = {"user": "admin", "password": "first password"}
        assert (await client.post("/api/auth/login", json=body)).status_code == 204
    assert set_password(tmp_path, "second password", "--user", "ada") == (
        "Password saved for ada.\n"
    )
    async with client_of(SERVICE, data) as other:
        other.cookies.update(client.cookies)
        assert (await state(other))["loggedIn"] is False
        body = {"user": "ada", "password": "second password"}
        assert (await other.post("/api/auth/login", json=body)).status_code == 204


def set_password(folder: Path, password: str, *options: str) -> str:
    command = ["downloads", "set-password", "--data", str(folder), *options]
    done = CliRunner().invoke(main, command, input=f"{password}\n")
    assert done.exit_code == 0, done.output
    return done.output
