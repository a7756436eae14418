"""Torrents from a real seeder on loopback are downloaded."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from quartet.downloads.queue.fetcher import Fetcher
from quartet.downloads.queue.scheduler import scheduler
from quartet.downloads.queue.torrents import task as torrent_task
from tests.client import Client
from tests.downloads.api_calls import act, add, downloads, one, packages, until
from tests.downloads.archives.make_archives import tree
from tests.downloads.conftest import logged_in
from tests.downloads.server import FileServer
from tests.downloads.torrent_service import (
    SIZES,
    all_finished,
    client,
    put_settings,
    started,
    torrent_process,
    tracked,
    until_bytes,
    until_state,
    upload,
    wait_for,
)
from tests.downloads.torrents import Torrent, make_torrent, seeder, torrent_processes, tracker

pytestmark = pytest.mark.anyio


@pytest.fixture
async def ada(tmp_path: Path) -> AsyncIterator[Client]:
    async with client(tmp_path) as started:
        yield started


def status_of(shown: list[dict[str, Any]], name: str) -> str | None:
    return next((each["status"] for each in shown if each["name"] == name), None)


async def delete_and_wait(ada: Client, id: int, folder: Path) -> None:
    """Delete a torrent, and wait until its working folder is gone."""
    await act(ada, f"/api/packages/{id}", "DELETE")
    tmp = folder / "data" / "tmp"
    await wait_for(lambda: not list(tmp.glob("torrent-*")))


@pytest.fixture
def torrent(tmp_path: Path) -> Torrent:
    return make_torrent(tmp_path / "seed", SIZES)


async def test_magnet_becomes_files_of_torrent(
    ada: Client, torrent: Torrent, tmp_path: Path
) -> None:
    with seeder(torrent, tmp_path / "seed") as port:
        await add(ada, torrent.magnet(port), start=True)
        await until(ada, all_finished)
    [package] = await packages(ada)
    assert (package["name"], package["infoHash"]) == ("example", torrent.info_hash)
    assert [each["torrentPath"] for each in package["downloads"]] == list(SIZES)
    assert tree(tmp_path / "data" / "done" / "example") == torrent.files
    await wait_for(lambda: not list((tmp_path / "data" / "tmp").iterdir()))


async def test_magnet_in_grabber_shows_its_files_before_it_starts(
    ada: Client, torrent: Torrent, tmp_path: Path
) -> None:
    with seeder(torrent, tmp_path / "seed") as port:
        id = await add(ada, torrent.magnet(port))
        await until(ada, lambda shown: len(shown) == len(SIZES))
        package = await one(ada)
        assert {each["torrentPath"]: each["size"] for each in package["downloads"]} == SIZES
        assert {(each["status"], each["bytesDone"]) for each in package["downloads"]} == {
            ("collected", 0)
        }
        chosen = [each["id"] for each in package["downloads"] if each["torrentPath"] == "c.txt"]
        await act(ada, f"/api/packages/{id}/start", json={"downloadIds": chosen})
        await until(ada, lambda shown: status_of(shown, "c.txt") == "finished")
    assert tree(tmp_path / "data" / "done" / "example") == {"c.txt": torrent.files["c.txt"]}


async def test_magnet_is_started_while_its_metadata_is_searched(
    ada: Client, torrent: Torrent, tmp_path: Path
) -> None:
    with tracker() as (url, peers):
        id = await add(ada, f"{torrent.magnet()}&tr={url}")
        async with asyncio.timeout(60):
            while (await ada.get(f"/api/torrents/{id}")).json()["state"] != "metadata":
                await asyncio.sleep(0.05)
        with seeder(torrent, tmp_path / "seed") as port:
            peers.append(port)
            await act(ada, f"/api/packages/{id}/start")
            await until(ada, all_finished)
    assert tree(tmp_path / "data" / "done" / "example") == torrent.files


async def test_torrent_file_is_listed_without_contacting_peers(
    ada: Client, torrent: Torrent
) -> None:
    id = await upload(ada, torrent)
    package = await one(ada)
    assert (package["id"], package["name"]) == (id, "example")
    assert {each["torrentPath"]: each["size"] for each in package["downloads"]} == SIZES
    assert package["summary"]["size"] == sum(SIZES.values())
    details = (await ada.get(f"/api/torrents/{id}")).json()
    assert details["infoHash"] == torrent.info_hash
    assert (details["state"], details["peers"]) == (None, [])


async def test_link_to_torrent_file_becomes_torrent(
    ada: Client, server: FileServer, tmp_path: Path
) -> None:
    torrent = make_torrent(tmp_path / "seed", SIZES)
    link = server.put("files/any.torrent", torrent.metainfo)
    await add(ada, link, packageName="Mine")
    await until(ada, lambda all: len(all) == len(SIZES))
    package = await one(ada)
    assert (package["name"], package["infoHash"]) == ("Mine", torrent.info_hash)


async def test_torrent_without_peers_gives_its_slot_to_others(
    tmp_path: Path, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torrent_task, "STALLED_SECONDS", 0.2)
    monkeypatch.setattr(scheduler, "STALL_CHECK_SECONDS", 0.05)
    async with client(tmp_path) as ada:
        await put_settings(ada, maxParallel=1)
        id = await add(ada, make_torrent(tmp_path / "seed", SIZES).magnet(), start=True)
        await until_state(ada, id, "metadata")
        await add(ada, server.put("file.bin", b"12345"), start=True)
        await until(ada, lambda shown: status_of(shown, "file.bin") == "finished")


async def test_torrent_without_peers_gives_its_share_of_the_limit_to_others(
    tmp_path: Path, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[int] = []

    def limit(fetcher: Fetcher, kib: int, others: Any) -> None:
        limits.append(kib)
        set_limit(fetcher, kib, others)

    set_limit = Fetcher.limit
    monkeypatch.setattr(Fetcher, "limit", limit)
    monkeypatch.setattr(scheduler, "STALL_CHECK_SECONDS", 0.05)
    server.open.clear()
    async with client(tmp_path) as ada:
        await put_settings(ada, speedLimitKib=1000)
        await add(ada, make_torrent(tmp_path / "seed", SIZES).magnet(), start=True)
        await add(ada, server.put("file.bin", bytes(5_000_000)), start=True)
        await wait_for(lambda: limits[-1] == 500)
        monkeypatch.setattr(torrent_task, "STALLED_SECONDS", 0)
        await wait_for(lambda: limits[-1] == 1000)
        server.open.set()


async def test_damaged_torrent_file_is_refused(ada: Client) -> None:
    files = {"files": ("x.torrent", b"d4:infod4:name1:xee")}
    answer = await ada.post("/api/containers", files=files)
    assert (answer.status_code, answer.json()["code"]) == (422, "container_damaged")


async def test_torrent_loads_only_selected_files(tmp_path: Path) -> None:
    with tracked(tmp_path) as (torrent, _port):
        async with client(tmp_path) as ada:
            id = await upload(ada, torrent)
            [first, second, third] = (await one(ada))["downloads"]
            chosen = {"downloadIds": [second["id"]]}
            await act(ada, f"/api/packages/{id}/start", json=chosen)
            await until(ada, lambda shown: status_of(shown, "b.bin") == "finished")
            done = tmp_path / "data" / "done" / "example"
            assert tree(done) == {"sub/b.bin": torrent.files["sub/b.bin"]}
            [package] = await packages(ada)
            assert package["summary"]["downloads"] == package["summary"]["finished"] == 1
            more = {"selected": [first["id"], second["id"], third["id"]]}
            await act(ada, f"/api/torrents/{id}", "PATCH", json=more)
            await until(ada, all_finished)
            assert tree(done) == torrent.files


async def test_paused_torrent_continues_and_removed_one_leaves_nothing(tmp_path: Path) -> None:
    async with started(tmp_path, limit="60K") as (ada, id, _torrent):
        await until_bytes(ada, 20_000)
        await act(ada, f"/api/packages/{id}/pause")
        await until(ada, lambda shown: {each["status"] for each in shown} == {"paused"})
        await until_state(ada, id, None)
        assert sum(each["bytesDone"] for each in await downloads(ada)) >= 16_384
        await act(ada, f"/api/packages/{id}/resume")
        await until_bytes(ada, 40_000)
        await delete_and_wait(ada, id, tmp_path)


async def test_torrent_deleted_while_it_starts_leaves_nothing(tmp_path: Path) -> None:
    async with started(tmp_path, limit="60K") as (ada, id, _torrent):
        await until_bytes(ada, 20_000)
        await act(ada, f"/api/packages/{id}/pause")
        await until_state(ada, id, None)
        await act(ada, f"/api/packages/{id}/resume")
        await delete_and_wait(ada, id, tmp_path)


async def test_killed_torrent_process_is_restarted(tmp_path: Path) -> None:
    async with started(tmp_path, limit="200K") as (ada, _id, torrent):
        await until_bytes(ada, 20_000)
        os.kill(torrent_process(), signal.SIGKILL)
        await until(ada, all_finished)
    assert tree(tmp_path / "data" / "done" / "example") == torrent.files


async def test_service_without_torrents_neither_loads_library_nor_starts_process(
    tmp_path: Path,
) -> None:
    code = "import sys, quartet.downloads.app; sys.exit('libtorrent' in sys.modules)"
    loaded = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
    assert await loaded.wait() == 0
    async with client(tmp_path):
        assert torrent_processes(os.getpid()) == []


async def test_progress_is_stored_while_a_torrent_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torrent_task, "SAVE_SECONDS", 0.05)
    query = "SELECT sum(bytes_done) FROM downloads WHERE status = 'downloading'"
    async with started(tmp_path, limit="50K") as (ada, _id, _torrent), asyncio.timeout(60):
        db = ada.started.kernel.db
        # Otherwise it would be shown as empty after a crash.
        while not await db.read(lambda conn: conn.exec_driver_sql(query).scalar()):
            await asyncio.sleep(0.05)


async def test_private_addresses_are_refused_for_trackers_and_peers(tmp_path: Path) -> None:
    forbidden = {"torrent_port": 0, "allow_private_addresses": False}
    with tracked(tmp_path) as (torrent, _port):
        async with logged_in(tmp_path / "data", **forbidden) as ada:
            await ada.put("/api/settings", json={"torrentDht": False})
            id = await upload(ada, torrent)
            await act(ada, f"/api/packages/{id}/start")

            async def details() -> Any:
                return (await ada.get(f"/api/torrents/{id}")).json()

            async with asyncio.timeout(60):
                while [each["state"] for each in (await details())["trackers"]] != ["failed"]:
                    await asyncio.sleep(0.05)
            assert (await details())["peers"] == []
