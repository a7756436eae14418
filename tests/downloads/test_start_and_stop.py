"""Starting a download beyond the slots, and stopping the queue after the running downloads."""

from pathlib import Path
from typing import Any

import pytest

from tests.client import Client
from tests.downloads.api_calls import act, add, downloads, until, until_all
from tests.downloads.conftest import logged_in
from tests.downloads.extraction_helpers import setting
from tests.downloads.server import CHUNK, FileServer

pytestmark = pytest.mark.anyio

DATA = bytes(range(256)) * (CHUNK // 64)
ALWAYS = {"from": "07:00", "to": "07:00", "pause": True}


async def until_states(client: Client, *wanted: str) -> list[dict[str, Any]]:
    return await until(client, lambda all: [each["status"] for each in all] == [*wanted])


async def start_now(client: Client, download: dict[str, Any]) -> None:
    await act(client, f"/api/downloads/{download['id']}/start-now")


async def stops_after(client: Client) -> int | None:
    left: int | None = (await client.get("/api/stats")).json()["stopsAfter"]
    return left


async def test_start_now_needs_no_slot_until_the_download_ends(
    ada: Client, server: FileServer
) -> None:
    server.open.clear()
    await setting(ada, maxParallel=1)
    await add(ada, *(server.put(f"{name}.bin", DATA) for name in "abc"), start=True)
    _, _, last = await until_states(ada, "downloading", "queued", "queued")
    await start_now(ada, last)
    first, _, last = await until_states(ada, "downloading", "queued", "downloading")
    assert (first["startedNow"], last["startedNow"]) == (False, True)
    # It continues during a pause of the schedule, in which another one can be started.
    await setting(ada, maxParallel=1, schedule=[ALWAYS])
    _, second, last = await until_states(ada, "queued", "queued", "downloading")
    await start_now(ada, second)
    await until_states(ada, "queued", "downloading", "downloading")
    await act(ada, f"/api/downloads/{last['id']}/pause")
    _, _, last = await until_states(ada, "queued", "downloading", "paused")
    assert not last["startedNow"]
    # Servers that allow one connection refuse others, so the limit per host still applies.
    await setting(ada, maxParallel=1, perHost=1, schedule=[ALWAYS])
    await start_now(ada, last)
    _, _, last = await until_states(ada, "queued", "downloading", "queued")
    assert last["startedNow"]
    server.open.set()
    shown = await until_states(ada, "queued", "finished", "finished")
    assert not any(each["startedNow"] for each in shown)


async def test_queue_stops_after_running_downloads_despite_a_restart(
    tmp_path: Path, server: FileServer
) -> None:
    server.open.clear()
    async with logged_in(tmp_path) as ada:
        await setting(ada, maxParallel=1)
        await add(ada, *(server.put(f"{name}.bin", DATA) for name in "ab"), start=True)
        await until_states(ada, "downloading", "queued")
        await act(ada, "/api/downloads/stop-after-running")
        assert await stops_after(ada) == 1
        await act(ada, "/api/downloads/cancel-stop")
        assert await stops_after(ada) is None
        await act(ada, "/api/downloads/stop-after-running")
        await setting(ada, maxParallel=5)
        await add(ada, server.put("c.bin", DATA), start=True)
        _, _, last = await until_states(ada, "downloading", "queued", "queued")
        await start_now(ada, last)
        await until_states(ada, "downloading", "queued", "downloading")
        assert await stops_after(ada) == 2
    # Resumed downloads need only a few more bytes.
    server.chunks_before_waiting = 0
    async with logged_in(tmp_path) as ada:
        assert await stops_after(ada) == 2
        await until_states(ada, "downloading", "queued", "downloading")
        server.open.set()
        await until_states(ada, "finished", "paused", "finished")
        assert await stops_after(ada) is None
        # Nothing is left of the stop.
        await act(ada, "/api/downloads/resume-all")
        await until_all(ada, "finished")
        # Without running downloads, the queue stops at once.
        await act(ada, "/api/downloads/stop-after-running")
        while await stops_after(ada) is not None:
            await downloads(ada)
