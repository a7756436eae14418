"""The schedule stops running downloads and starts them again."""

from pathlib import Path
from typing import Any

import pytest

from tests.client import Client
from tests.downloads.api_calls import act, add, until, until_all
from tests.downloads.conftest import logged_in
from tests.downloads.server import CHUNK, FileServer
from tests.downloads.torrents import make_torrent, seeder

pytestmark = pytest.mark.anyio

ALWAYS = {"from": "07:00", "to": "07:00", "pause": True}


async def schedule(client: Client, *windows: dict[str, Any]) -> None:
    answer = await client.put(
        "/api/settings", json={"schedule": windows, "maxParallel": 2, "torrentDht": False}
    )
    assert answer.status_code == 200, answer.text


async def test_pause_returns_running_downloads_to_the_queue(
    ada: Client, server: FileServer, done: Path
) -> None:
    await schedule(ada)
    server.open.clear()
    data = bytes(range(256)) * (CHUNK // 64)
    names = [f"{number}.bin" for number in range(3)]
    await add(ada, *(server.put(name, data) for name in names), start=True, packageName="P")
    await until(ada, lambda all: [each["status"] for each in all].count("downloading") == 2)
    await server.until_sent(4 * CHUNK)
    await schedule(ada, ALWAYS)
    shown = await until_all(ada, "queued")
    # They neither failed nor wait for a retry.
    assert {(each["error"], each["retryAt"], each["attempts"]) for each in shown} == {
        (None, None, 0)
    }
    stats = (await ada.get("/api/stats")).json()
    assert (stats["pausedBySchedule"], stats["pausedUntil"]) == (True, None)
    server.open.set()
    await schedule(ada)
    await until_all(ada, "finished")
    assert [(done / "P" / name).read_bytes() == data for name in names] == [True] * 3


async def test_pause_returns_torrents_to_the_queue(tmp_path: Path) -> None:
    torrent = make_torrent(tmp_path / "seed", {"a.bin": 2_000_000})
    with seeder(torrent, tmp_path / "seed", limit="300K") as port:
        async with logged_in(tmp_path / "data", torrent_port=0) as ada:
            await schedule(ada)
            await add(ada, torrent.magnet(port), start=True)
            await until(
                ada, lambda all: all[0]["status"] == "downloading" and all[0]["name"] == "a.bin"
            )
            await schedule(ada, ALWAYS)
            [file] = await until_all(ada, "queued")
            # Started by hand, the torrent does not wait for the end of the pause.
            await act(ada, f"/api/packages/{file['packageId']}/start-now")
            await until_all(ada, "finished")
