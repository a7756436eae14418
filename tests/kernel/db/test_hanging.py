"""A hanging PostgreSQL server must not block the process, especially not its shutdown."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from quartet.kernel.db import database, open_database
from quartet.kernel.errors import AppError
from quartet.kernel.startup import open_kernel
from quartet.sync.app import SERVICE
from quartet.sync.settings import SyncSettings

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def assert_loop_runs() -> AsyncIterator[None]:
    """Assert that the event loop keeps running."""
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    ticking = asyncio.create_task(tick())
    yield
    ticking.cancel()
    # A loop that was blocked all the time had none or one.
    assert ticks > 10


async def test_connect_to_unresponsive_server_times_out(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql://ada@127.0.0.1:{silent.getsockname()[1]}/x"
        db = open_database(tmp_path, "sample", url)
        with pytest.raises(AppError, match="database_unavailable"):
            await asyncio.wait_for(db.check(), 60)
        db.close()


async def test_close_does_not_wait_for_hanging_query(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "CLOSE_SECONDS", 1.5)
    kernel = open_kernel(SERVICE, SyncSettings(data=tmp_path, database_url=postgres_url))
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()

    def wait(conn: Connection) -> None:
        conn.execute(text("SELECT 1"))
        loop.call_soon_threadsafe(asked.set)
        conn.execute(text("SELECT pg_sleep(300)"))

    waiting = asyncio.create_task(kernel.db.read(wait))
    await asked.wait()
    async with asyncio.timeout(60), assert_loop_runs():
        await kernel.close()
    with pytest.raises(AppError, match="database_unavailable"):
        await waiting


async def test_close_waits_for_running_query(postgres_url: str, tmp_path: Path) -> None:
    kernel = open_kernel(SERVICE, SyncSettings(data=tmp_path, database_url=postgres_url))

    def short(conn: Connection) -> str:
        conn.execute(text("SELECT pg_sleep(0.3)"))
        return "done"

    works = [asyncio.create_task(kernel.db.read(short)) for _ in range(20)]
    await asyncio.sleep(0)
    await kernel.close()
    assert await asyncio.gather(*works) == ["done"] * 20
