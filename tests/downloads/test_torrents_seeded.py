"""Finished torrents are seeded and checked again."""

import asyncio
from pathlib import Path

import pytest

from tests.downloads.api_calls import act, one, until
from tests.downloads.archives.make_archives import tree
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
    wait_for,
)
from tests.downloads.torrents import PIECE, Torrent, leech, listening_port

pytestmark = pytest.mark.anyio


async def test_seeding_follows_settings_that_change_during_the_download(tmp_path: Path) -> None:
    async with started(tmp_path, limit="100K") as (ada, id, _torrent):
        await until_bytes(ada, 1)
        await put_settings(ada, seedRatioPercent=100)
        await until(ada, all_finished)
        await until_state(ada, id, "seeding")


async def test_finished_torrent_is_seeded_until_ratio_is_reached(tmp_path: Path) -> None:
    async with started(tmp_path, seedRatioPercent=100) as (ada, id, torrent):
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


async def test_recheck_fetches_damaged_piece_again(tmp_path: Path) -> None:
    """One byte of a finished and seeded file is wrong; another file was moved away by the user."""
    done = tmp_path / "data" / "done" / "example"
    async with started(tmp_path, seedRatioPercent=900) as (ada, id, torrent):
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
    async with started(tmp_path, limit="100K") as (ada, id, torrent):
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
