"""Torrents as clients of aria2 see them."""

import base64
from pathlib import Path
from typing import Any

import pytest

from quartet.downloads.aria2 import store as aria2_store
from quartet.downloads.aria2.notifications import notifications_for
from quartet.downloads.aria2.status import ACTIVE
from quartet.downloads.bittorrent import store as bittorrent_store
from quartet.downloads.bittorrent.store import StoredTorrent
from quartet.downloads.queue.torrents import store as torrent_store
from quartet.kernel.db import Tx
from tests.client import Client
from tests.downloads.api_calls import act, downloads, mark, packages
from tests.downloads.aria2_rpc import Rpc
from tests.downloads.torrents import make_torrent

pytestmark = pytest.mark.anyio


async def test_complete_torrent_has_its_own_notification() -> None:
    names = notifications_for("downloading", "finished", torrent=True)
    assert names == ["onBtDownloadComplete", "onDownloadComplete"]


async def test_torrent_options_are_mapped(ada: Client, rpc: Rpc, tmp_path: Path) -> None:
    """Web seeds, trackers and limits, when it is added and afterwards."""
    named, other = "udp://a.example:80", "udp://b.example:80"
    torrent = make_torrent(tmp_path / "seed", {"a.bin": 1000, "b.bin": 1000}, tracker=named)
    trackers = {"bt-exclude-tracker": named, "bt-tracker": f"{other}, udp://c.example:80"}
    options = {"pause": True, "seed-ratio": "1.5", "seed-time": "0.5", **trackers}
    content = base64.b64encode(torrent.metainfo).decode()
    gid = await rpc("addTorrent", content, ["http://w.invalid/a?b"], options)

    async def stored() -> StoredTorrent:
        found = await ada.started.kernel.db.read(bittorrent_store.torrents)
        [torrent] = found.values()
        return torrent

    now = await stored()
    assert now.magnet.endswith("&ws=http%3A%2F%2Fw.invalid%2Fa%3Fb")
    assert (now.ratio_limit_percent, now.seed_limit_minutes) == (150, 1)
    assert (now.trackers, now.upload_limit_kib) == ([other, "udp://c.example:80"], 0)
    assert (await rpc("getOption", gid))["seed-ratio"] == "1.5"
    changes = {"seed-ratio": "0.0", "seed-time": "10", "max-upload-limit": "20K"}
    await rpc("changeOption", gid, changes)
    now = await stored()
    assert (now.ratio_limit_percent, now.seed_limit_minutes) == (-1, 10)
    assert now.upload_limit_kib == 20
    assert "number" in await rpc.error("changeOption", gid, {"seed-ratio": "-1"})


async def test_state_of_torrent_is_that_of_all_its_files(
    ada: Client, rpc: Rpc, tmp_path: Path
) -> None:
    torrent = make_torrent(tmp_path / "seed", {"a.bin": 1000, "b.bin": 1000})
    await rpc("addTorrent", base64.b64encode(torrent.metainfo).decode(), [], {"pause": True})
    first, second = [each["id"] for each in await downloads(ada)]

    async def states(*ids: int) -> dict[int, Any]:
        def finish(tx: Tx) -> dict[int, Any]:
            for id in ids:
                aria2_store.change(tx.conn, id, {"status": "finished"})
            return aria2_store.states(tx.conn, [*ids, second])

        return await ada.started.kernel.db.write(finish)

    assert await states() == {first: ("paused", True)}
    assert await states(first) == {first: ("paused", True)}
    assert (await rpc("getGlobalStat"))["numWaiting"] == "1"
    assert await states(first, second) == {first: ("finished", True)}
    assert (await rpc("getGlobalStat"))["numStopped"] == "1"


async def added_torrents(ada: Client, rpc: Rpc, folder: Path, *names: str) -> list[str]:
    """Add paused torrents with two files each; return their gids."""
    gids = []
    for name in names:
        torrent = make_torrent(folder / name, {"a.bin": 1000, "b.bin": 1000}, name=name)
        content = base64.b64encode(torrent.metainfo).decode()
        gids.append(str(await rpc("addTorrent", content, [], {"pause": True})))
    return gids


async def files_of(ada: Client, name: str) -> list[int]:
    [found] = [each for each in await packages(ada) if each["name"] == name]
    return [each["id"] for each in found["downloads"]]


async def test_purge_removes_ended_torrents_as_a_whole(
    ada: Client, rpc: Rpc, tmp_path: Path
) -> None:
    names = ("paused", "failed", "complete")
    paused, failed, complete = await added_torrents(ada, rpc, tmp_path, *names)
    # One of two files failed, and the other one is still wanted.
    first, _ = await files_of(ada, "paused")
    await mark(ada, "status = 'failed'", f"id = {first}")
    first, second = await files_of(ada, "failed")
    await mark(ada, "status = 'failed'", f"id = {first}")
    await mark(ada, "status = 'finished'", f"id = {second}")
    first, second = await files_of(ada, "complete")
    await mark(ada, "status = 'finished'", f"id = {first}")
    await mark(ada, "status = 'skipped'", f"id = {second}")
    assert {each["gid"] for each in await rpc("tellStopped", 0, 9)} == {failed, complete}
    await act(ada, "/api/downloads/clear-finished")
    assert [each["name"] for each in await packages(ada)] == ["paused", "failed"]
    await rpc("purgeDownloadResult")
    assert [len(each["downloads"]) for each in await packages(ada)] == [2]
    assert [each["gid"] for each in await rpc("tellWaiting", 0, 9)] == [paused]


async def test_seeded_torrent_is_active_and_not_purged(
    ada: Client, rpc: Rpc, tmp_path: Path
) -> None:
    await added_torrents(ada, rpc, tmp_path, "seeded")
    [package] = [each["id"] for each in await packages(ada)]
    first, _ = await files_of(ada, "seeded")

    def work(tx: Tx) -> tuple[Any, ...]:
        """Do everything in one transaction, because the files to be seeded do not exist."""
        for id in aria2_store.siblings(tx.conn, package):
            aria2_store.change(tx.conn, id, {"status": "finished"})
        bittorrent_store.change(tx.conn, package, seeding=True)
        active = aria2_store.in_queue(tx.conn, ACTIVE)
        [found] = aria2_store.found_downloads(tx.conn, [first])
        count = aria2_store.count(tx.conn)
        gone = torrent_store.delete_ended(tx.conn, ("finished", "failed"))
        return active, found.download.status, count, gone

    found = await ada.started.kernel.db.write(work)
    assert found == ([first], "downloading", {"downloading": 1}, [])
