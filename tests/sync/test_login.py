from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quartet.sync.app import SERVICE
from quartet.sync.login.service import Login, set_password_command
from tests.client import Client, client_at, client_of

pytestmark = pytest.mark.anyio

PASSWORD = "correct horse"


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Client]:
    async with client_of(SERVICE, tmp_path) as client:
        Login(client.started.kernel.db).set_password(PASSWORD)
        yield client


async def log_in(client: Client) -> str:
    answer = await client.post("/api/login", json={"password": PASSWORD})
    assert answer.status_code == 200
    token: str = answer.json()["csrfToken"]
    return token


async def test_sign_in_fails_before_password_is_set(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        # The command contains the folder in use.
        command = f"SYNC_DATA={tmp_path} quartet sync set-password"
        expected = {"setUp": False, "loggedIn": False, "command": command}
        assert (await client.get("/api/session")).json() == expected
        body = {"password": ""}
        assert await client.code("POST", "/api/login", json=body) == (409, "not_set_up")


async def test_login_and_session_return_csrf_token(client: Client) -> None:
    assert (await client.get("/api/session")).json() == {"setUp": True, "loggedIn": False}
    token = await log_in(client)
    state = (await client.get("/api/session")).json()
    assert state.pop("command")
    assert (state.pop("account"), state.pop("role")) == ("admin", "admin")
    assert state == {"setUp": True, "loggedIn": True, "csrfToken": token}


async def test_cookie_is_httponly_and_same_site(client: Client) -> None:
    answer = await client.post("/api/login", json={"password": PASSWORD})
    assert {"HttpOnly", "SameSite=strict"} <= set(answer.headers["set-cookie"].split("; "))


async def test_change_needs_csrf_token_of_own_session(client: Client) -> None:
    token = await log_in(client)
    async with client_at(client.started) as other:
        foreign = await log_in(other)
    for headers in ({}, {"x-csrf-token": "wrong"}, {"x-csrf-token": foreign}):
        expected = (403, "csrf_failed")
        assert await client.code("POST", "/api/logout", headers=headers) == expected
    answer = await client.post("/api/logout", headers={"x-csrf-token": token})
    assert answer.status_code == 204
    assert await client.code("GET", "/api/system") == (401, "signed_out")


async def test_wrong_password_and_lockout(client: Client) -> None:
    body = {"password": "wrong password"}
    assert await client.code("POST", "/api/login", json=body) == (401, "wrong_password")
    for _ in range(9):
        await client.post("/api/login", json=body)
    assert await client.code("POST", "/api/login", json=body) == (429, "too_many_attempts")


async def test_new_password_ends_all_sessions(client: Client, tmp_path: Path) -> None:
    await log_in(client)
    Login(client.started.kernel.db).set_password("battery staple")
    async with client_of(SERVICE, tmp_path) as other:
        other.cookies = client.cookies
        assert await other.code("GET", "/api/system") == (401, "signed_out")


def test_command_names_parent_of_service_folder() -> None:
    command = set_password_command(Path("/srv/my data/sync"))
    assert command == "quartet sync set-password --data '/srv/my data'"
