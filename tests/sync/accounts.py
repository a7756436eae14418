"""Accounts of a test server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from tests.client import NO_AUTHORITIES
from tests.sync.running_app import RunningApp

SECRET = "ada has a password"


@asynccontextmanager
async def signed_in(app: RunningApp, name: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=app.url, verify=NO_AUTHORITIES, timeout=30) as person:
        body = {"account": name, "password": SECRET}
        answer = await person.post("/api/login", json=body)
        assert answer.status_code == 200, answer.text
        person.headers["x-csrf-token"] = answer.json()["csrfToken"]
        yield person


async def add_account(app: RunningApp, name: str = "ada", **fields: Any) -> None:
    await app.post("/api/accounts", {"name": name, "password": SECRET, **fields})


async def invite(app: RunningApp, name: str = "ada") -> str:
    token: str = (await app.post(f"/api/accounts/{name}/invitation"))["token"]
    return token
