"""A service that downloads torrents from a real seeder on loopback, and calls to it."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.client import Client
from tests.downloads.api_calls import act, downloads
from tests.downloads.conftest import logged_in
from tests.downloads.torrents import Torrent, make_torrent, seeder, torrent_processes, tracker
from tests.waiting import pauses

SIZES = {"a.bin": 300_000, "sub/b.bin": 100_000, "c.txt": 10}


@asynccontextmanager
async def client(tmp_path: Path) -> AsyncIterator[Client]:
    async with logged_in(tmp_path / "data", torrent_port=0) as client:
        await put_settings(client)
        yield client


async def put_settings(ada: Client, **settings: Any) -> None:
    answer = await ada.put("/api/settings", json={"torrentDht": False, **settings})
    assert answer.status_code == 200, answer.text


@contextmanager
def tracked(tmp_path: Path, limit: str = "0") -> Iterator[tuple[Torrent, int]]:
    """Run a seeder and a tracker that names it."""
    with tracker() as (url, peers):
        torrent = make_torrent(tmp_path / "seed", SIZES, tracker=url)
        with seeder(torrent, tmp_path / "seed", limit=limit) as port:
            peers.append(port)
            yield torrent, port


async def upload(ada: Client, torrent: Torrent) -> int:
    answer = await ada.post(
        "/api/containers", files={"files": ("example.torrent", torrent.metainfo)}
    )
    assert answer.status_code == 200, answer.text
    id: int = answer.json()["packages"][0]["packageId"]
    return id


class StartedTorrent(NamedTuple):
    ada: Client
    id: int
    torrent: Torrent


@asynccontextmanager
async def started(
    tmp_path: Path, limit: str = "0", **settings: Any
) -> AsyncIterator[StartedTorrent]:
    """Run a service that downloads a torrent from a seeder with this speed limit."""
    with tracked(tmp_path, limit) as (torrent, _port):
        async with client(tmp_path) as ada:
            if settings:
                await put_settings(ada, **settings)
            id = await upload(ada, torrent)
            await act(ada, f"/api/packages/{id}/start")
            yield StartedTorrent(ada, id, torrent)


async def wait_for(right: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not right():
            await asyncio.sleep(0.05)


async def until_bytes(ada: Client, least: int) -> None:
    pause = pauses()
    async with asyncio.timeout(60):
        while sum(each["bytesDone"] for each in await downloads(ada)) < least:
            await asyncio.sleep(next(pause))


async def until_state(ada: Client, id: int, state: str | None) -> None:
    """Wait until the torrent is in this state; None if it does not run."""
    pause = pauses()
    async with asyncio.timeout(60):
        while (await ada.get(f"/api/torrents/{id}")).json()["state"] != state:
            await asyncio.sleep(next(pause))


def torrent_process() -> int:
    """Return the id of the torrent process of this test."""
    [found] = torrent_processes(os.getpid())
    return found


def all_finished(shown: list[dict[str, Any]]) -> bool:
    return bool(shown) and {each["status"] for each in shown} == {"finished"}
