"""A live stream ends with its session."""

import asyncio
from pathlib import Path

import pytest

from quartet.downloads.app import SERVICE
from tests.client import Client, client_of
from tests.downloads.first_user import first_user

pytestmark = pytest.mark.anyio

USER = {"user": "ada", "password": "correct horse"}


async def stream(client: Client) -> asyncio.Task[str]:
    """Return everything a stream sent until its end."""

    async def listen() -> str:
        return (await client.get("/api/events")).text

    before = client.started.kernel.events.streams
    task = asyncio.create_task(listen())
    async with asyncio.timeout(60):
        while client.started.kernel.events.streams == before:
            await asyncio.sleep(0.01)
    return task


async def test_stream_ends_at_sign_out_and_others_continue(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        await client.post("/api/auth/setup", json=first_user(tmp_path))
        mine = await stream(client)
        await client.post("/api/auth/logout")
        await client.post("/api/auth/login", json=USER)
        other = await stream(client)
        # The stream sends something every two seconds and checks the session before.
        async with asyncio.timeout(60):
            assert "event: system" in await mine
        assert not other.done()
        client.started.kernel.events.close()
        await other
