"""Signed-in browsers are listed and can be signed out, in every service with one user."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from quartet.media.app import SERVICE as MEDIA
from quartet.sync.app import SERVICE as SYNC
from quartet.sync.login.service import Login as SyncLogin
from tests.client import Client, client_at, client_of
from tests.downloads.conftest import logged_in
from tests.downloads.first_user import USER

pytestmark = pytest.mark.anyio

TOKEN = "an access token of sixteen"
PASSWORD = "correct horse"


@asynccontextmanager
async def signed_in(name: str, data: Path) -> AsyncIterator[Client]:
    if name == "downloads":
        async with logged_in(data) as client:
            yield client
        return
    service: Any = MEDIA if name == "media" else SYNC
    settings = {"token": TOKEN} if name == "media" else {}
    async with client_of(service, data, **settings) as client:
        if name == "sync":
            SyncLogin(client.started.kernel.db).set_password(PASSWORD)
        await sign_in(name, client)
        yield client


async def sign_in(name: str, client: Client) -> None:
    path, body = {
        "downloads": ("/api/auth/login", USER),
        "media": ("/api/login", {"token": TOKEN}),
        "sync": ("/api/login", {"password": PASSWORD}),
    }[name]
    answer = await client.post(path, json=body)
    assert answer.status_code < 300
    if name == "sync":
        client.headers["x-csrf-token"] = answer.json()["csrfToken"]


async def listed(client: Client) -> list[dict[str, Any]]:
    answer = await client.get("/api/sessions")
    assert answer.status_code == 200
    sessions: list[dict[str, Any]] = answer.json()["sessions"]
    return sessions


@pytest.mark.parametrize("name", ["downloads", "media", "sync"])
async def test_session_is_listed_and_can_be_ended(name: str, tmp_path: Path) -> None:
    async with (
        signed_in(name, tmp_path) as client,
        client_at(client.started, peer="203.0.113.7") as phone,
        client_at(client.started) as third,
    ):
        phone.headers["user-agent"] = "Phone/1.0"
        await sign_in(name, phone)
        await sign_in(name, third)
        sessions = await listed(client)
        assert [each["current"] for each in sessions].count(True) == 1
        other = next(each for each in sessions if each["device"] == "Phone/1.0")
        assert other["address"] == "203.0.113.7"
        assert 0 < other["createdAt"] <= other["seenAt"]

        assert (await client.delete(f"/api/sessions/{other['id']}")).status_code == 204
        assert await phone.code("GET", "/api/system") == (401, "signed_out")
        assert (await third.get("/api/system")).status_code == 200
        assert await client.code("DELETE", "/api/sessions/unknown") == (404, "not_found")

        assert (await client.post("/api/sessions/end-others")).status_code == 204
        assert await third.code("GET", "/api/system") == (401, "signed_out")
        assert [each["current"] for each in await listed(client)] == [True]


async def test_program_with_token_has_no_sessions(tmp_path: Path) -> None:
    async with signed_in("media", tmp_path) as client, client_at(client.started) as program:
        program.headers["authorization"] = f"Bearer {TOKEN}"
        assert await listed(program) == []
        assert (await program.post("/api/sessions/end-others")).status_code == 204
        assert len(await listed(client)) == 1


async def test_changed_password_ends_other_sessions(tmp_path: Path) -> None:
    async with signed_in("downloads", tmp_path) as client, client_at(client.started) as other:
        await sign_in("downloads", other)
        change = {"current": USER["password"], "new": "another long password"}
        assert (await client.post("/api/auth/password", json=change)).status_code == 204
        assert await other.code("GET", "/api/system") == (401, "signed_out")
        assert len(await listed(client)) == 1
