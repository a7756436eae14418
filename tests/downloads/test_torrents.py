"""Torrents from a real seeder on loopback."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
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
from tests.downloads.torrents import (
    PIECE,
    Torrent,
    leech,
    listening_port,
    make_torrent,
    seeder,
    torrent_processes,
    tracker,
)
from tests.waiting import pauses

pytestmark = pytest.mark.anyio

SIZES = {"a.bin": 300_000, "sub/b.bin": 100_000, "c.txt": 10}


@asynccontextmanager
async def client(tmp_path: Path) -> AsyncIterator[Client]:
    async with logged_in(tmp_path / "data", torrent_port=0) as client:
        await put_settings(client)
        yield client


@pytest.fixture
async def ada(tmp_path: Path) -> AsyncIterator[Client]:
    async with client(tmp_path) as started:
        yield started


@contextmanager
def tracked(tmp_path: Path, limit: str = "0") -> Iterator[tuple[Torrent, int]]:
    """Run a seeder and a tracker that names it."""
    with tracker() as (url, peers):
        torrent = make_torrent(tmp_path / "seed", SIZES, tracker=url)
        with seeder(torrent, tmp_path / "seed", limit=limit) as port:
            peers.append(port)
            yield torrent, port


def status_of(shown: list[dict[str, Any]], name: str) -> str | None:
    return next((each["status"] for each in shown if each["name"] == name), None)


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


async def delete_and_wait(ada: Client, id: int, folder: Path) -> None:
    """Delete a torrent, and wait until its working folder is gone."""
    await act(ada, f"/api/packages/{id}", "DELETE")
    tmp = folder / "data" / "tmp"
    await wait_for(lambda: not list(tmp.glob("torrent-*")))


def torrent_process() -> int:
    """Return the id of the torrent process of this test."""
    [found] = torrent_processes(os.getpid())
    return found


@pytest.fixture
def torrent(tmp_path: Path) -> Torrent:
    return make_torrent(tmp_path / "seed", SIZES)


def all_finished(shown: list[dict[str, Any]]) -> bool:
    return bool(shown) and {each["status"] for each in shown} == {"finished"}


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


async def upload(ada: Client, torrent: Torrent) -> int:
    answer = await ada.post(
        "/api/containers", files={"files": ("example.torrent", torrent.metainfo)}
    )
    assert answer.status_code == 200, answer.text
    id: int = answer.json()["packages"][0]["packageId"]
    return id


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


async def put_settings(ada: Client, **settings: Any) -> None:
    answer = await ada.put("/api/settings", json={"torrentDht": False, **settings})
    assert answer.status_code == 200, answer.text


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
    with tracked(tmp_path, limit="60K") as (torrent, _port):
        async with client(tmp_path) as ada:
            id = await upload(ada, torrent)
            await act(ada, f"/api/packages/{id}/start")
            await until_bytes(ada, 20_000)
            await act(ada, f"/api/packages/{id}/pause")
            await until(ada, lambda shown: {each["status"] for each in shown} == {"paused"})
            await until_state(ada, id, None)
            assert sum(each["bytesDone"] for each in await downloads(ada)) >= 16_384
            await act(ada, f"/api/packages/{id}/resume")
            await until_bytes(ada, 40_000)
            await delete_and_wait(ada, id, tmp_path)


async def test_torrent_deleted_while_it_starts_leaves_nothing(tmp_path: Path) -> None:
    with tracked(tmp_path, limit="60K") as (torrent, _port):
        async with client(tmp_path) as ada:
            id = await upload(ada, torrent)
            await act(ada, f"/api/packages/{id}/start")
            await until_bytes(ada, 20_000)
            await act(ada, f"/api/packages/{id}/pause")
            await until_state(ada, id, None)
            await act(ada, f"/api/packages/{id}/resume")
            await delete_and_wait(ada, id, tmp_path)


async def test_killed_torrent_process_is_restarted(tmp_path: Path) -> None:
    with tracked(tmp_path, limit="200K") as (torrent, _port):
        async with client(tmp_path) as ada:
            id = await upload(ada, torrent)
            await act(ada, f"/api/packages/{id}/start")
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


async def test_seeding_follows_settings_that_change_during_the_download(tmp_path: Path) -> None:
    with tracked(tmp_path, limit="100K") as (torrent, _port):
        async with client(tmp_path) as ada:
            id = await upload(ada, torrent)
            await act(ada, f"/api/packages/{id}/start")
            await until_bytes(ada, 1)
            options = {"torrentDht": False, "seedRatioPercent": 100}
            assert (await ada.put("/api/settings", json=options)).status_code == 200
            await until(ada, all_finished)
            await until_state(ada, id, "seeding")


async def test_progress_is_stored_while_a_torrent_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torrent_task, "SAVE_SECONDS", 0.05)
    query = "SELECT sum(bytes_done) FROM downloads WHERE status = 'downloading'"
    with tracked(tmp_path, limit="50K") as (torrent, _port):
        async with client(tmp_path) as ada, asyncio.timeout(60):
            id = await upload(ada, torrent)
            await act(ada, f"/api/packages/{id}/start")
            db = ada.started.kernel.db
            # Otherwise it would be shown as empty after a crash.
            while not await db.read(lambda conn: conn.exec_driver_sql(query).scalar()):
                await asyncio.sleep(0.05)


async def test_finished_torrent_is_seeded_until_ratio_is_reached(tmp_path: Path) -> None:
    with tracked(tmp_path) as (torrent, _port):
        async with client(tmp_path) as ada:
            options = {"torrentDht": False, "seedRatioPercent": 100}
            assert (await ada.put("/api/settings", json=options)).status_code == 200
            id = await upload(ada, torrent)
            await act(ada, f"/api/packages/{id}/start")
            await until(ada, all_finished)
            await until_state(ada, id, "seeding")
            assert (await one(ada, "queue"))["seeding"] is True
            await act(ada, f"/api/packages/{id}/pause")
            await until_state(ada, id, None)
            assert (await one(ada, "queue"))["seeding"] is False
            await act(ada, f"/api/packages/{id}/resume")
            await until_state(ada, id, "seeding")
            await act(ada, "/api/downloads/pause-all")
            await until_state(ada, id, None)
            assert (await one(ada, "queue"))["seeding"] is False
            await act(ada, "/api/downloads/resume-all")
            await until_state(ada, id, "seeding")
            port = listening_port(torrent_process())
            await asyncio.to_thread(leech, torrent, tmp_path / "other", port)
            await until_state(ada, id, None)
            details = (await ada.get(f"/api/torrents/{id}")).json()
            assert details["uploaded"] >= sum(SIZES.values())
            assert (await one(ada, "queue"))["seeding"] is False
    assert tree(tmp_path / "other" / "example") == torrent.files


async def test_recheck_fetches_damaged_piece_again(tmp_path: Path) -> None:
    """One byte of a finished and seeded file is wrong; another file was moved away by the user."""
    done = tmp_path / "data" / "done" / "example"
    with tracked(tmp_path) as (torrent, _port):
        async with client(tmp_path) as ada:
            options = {"torrentDht": False, "seedRatioPercent": 900}
            assert (await ada.put("/api/settings", json=options)).status_code == 200
            id = await upload(ada, torrent)
            await act(ada, f"/api/packages/{id}/start")
            await until(ada, all_finished)
            await until_state(ada, id, "seeding")
            damaged = bytearray(torrent.files["a.bin"])
            damaged[100_000] ^= 1
            (done / "a.bin").write_bytes(damaged)
            (done / "c.txt").unlink()
            before = {path.name: path.stat().st_ino for path in done.rglob("*.bin")}
            answer = await ada.post("/api/v2/torrents/recheck", data={"hashes": torrent.info_hash})
            assert answer.status_code == 200, answer.text
            await wait_for(lambda: (done / "a.bin").is_file() and is_right(done, torrent))
            await until(ada, all_finished)
            # The file itself was repaired, and the others were left alone.
            assert {path.name: path.stat().st_ino for path in done.rglob("*.bin")} == before
            assert sorted(path.name for path in done.rglob("*.*")) == ["a.bin", "b.bin"]
            entries = (await ada.get("/api/history")).json()["entries"]
            assert sorted(each["name"] for each in entries).count("b.bin") == 1


def is_right(done: Path, torrent: Torrent) -> bool:
    return (done / "a.bin").read_bytes() == torrent.files["a.bin"]


async def test_recheck_finds_damage_in_unfinished_torrent(tmp_path: Path) -> None:
    """While it is downloaded, a torrent trusts what it has written, until it is checked."""
    with tracked(tmp_path, limit="100K") as (torrent, _port):
        async with client(tmp_path) as ada:
            id = await upload(ada, torrent)
            await act(ada, f"/api/packages/{id}/start")
            await until_bytes(ada, 2 * PIECE)
            await act(ada, f"/api/packages/{id}/pause")
            await until_state(ada, id, None)
            for part in (tmp_path / "data" / "tmp" / f"torrent-{id}").glob("[0-9]"):
                part.write_bytes(bytes(part.stat().st_size))
            assert (await ada.post(f"/api/torrents/{id}/recheck")).status_code == 204
            assert (await ada.post("/api/torrents/999/recheck")).status_code == 404
            await act(ada, f"/api/packages/{id}/resume")
            await until(ada, all_finished)
    assert tree(tmp_path / "data" / "done" / "example") == torrent.files


async def test_share_limits_of_single_torrent_override_settings(tmp_path: Path) -> None:
    """The settings say that nothing is seeded; a client of qBittorrent wants a ratio of 1."""
    with tracked(tmp_path) as (torrent, _port):
        async with client(tmp_path) as ada:
            answer = await ada.post("/api/v2/torrents/add", data={"urls": torrent.magnet(_port)})
            assert answer.text == "Ok.", answer.text
            limits = {"hashes": torrent.info_hash, "ratioLimit": "1.0", "seedingTimeLimit": "-1"}
            answer = await ada.post("/api/v2/torrents/setShareLimits", data=limits)
            assert answer.status_code == 200, answer.text
            await until(ada, all_finished)
            id = (await one(ada, "queue"))["id"]
            await until_state(ada, id, "seeding")
            [shown] = (await ada.get("/api/v2/torrents/info")).json()
            assert (shown["ratio_limit"], shown["seeding_time_limit"]) == (1, -1)
            port = listening_port(torrent_process())
            await asyncio.to_thread(leech, torrent, tmp_path / "other", port)
            await until_state(ada, id, None)
            [shown] = (await ada.get("/api/v2/torrents/info")).json()
            assert (shown["state"], shown["ratio"] >= 1) == ("stoppedUP", True)


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
