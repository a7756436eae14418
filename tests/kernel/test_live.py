"""An open line ends with the session it was opened in."""

import asyncio
from pathlib import Path

import pytest

from quartet.downloads.app import SERVICE
from tests.client import Client, client_of

pytestmark = pytest.mark.anyio

USER = {"user": "ada", "password": "correct horse"}


async def stream(client: Client) -> asyncio.Task[str]:
    """What an open line has said, when it ends."""

    async def listen() -> str:
        return (await client.get("/api/events")).text

    before = client.started.kernel.events.streams
    task = asyncio.create_task(listen())
    async with asyncio.timeout(5):
        while client.started.kernel.events.streams == before:
            await asyncio.sleep(0.01)
    return task


async def test_a_stream_ends_at_logout_and_others_go_on(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        await client.post("/api/auth/setup", json=USER)
        mine = await stream(client)
        await client.post("/api/auth/logout")
        await client.post("/api/auth/login", json=USER)
        other = await stream(client)
        # The line says something every two seconds, and asks before it does.
        async with asyncio.timeout(10):
            assert "event: system" in await mine
        assert not other.done()
        client.started.kernel.events.close()
        await other
