"""Trackers and limits of single torrents, with a real seeder and a tracker on loopback."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.client import Client
from tests.downloads.api_calls import act, add, until
from tests.downloads.archives.make_archives import tree
from tests.downloads.torrent_service import (
    SIZES,
    all_finished,
    client,
    until_bytes,
    until_state,
    upload,
)
from tests.downloads.torrents import make_torrent, seeder, tracker

pytestmark = pytest.mark.anyio

DEAD = "http://127.0.0.1:9/announce"
LONG = {"long.bin": 2_000_000}


async def details(ada: Client, id: int) -> Any:
    return (await ada.get(f"/api/torrents/{id}")).json()


async def change(ada: Client, id: int, **values: Any) -> None:
    await act(ada, f"/api/torrents/{id}", "PATCH", json=values)


async def addresses(ada: Client, id: int) -> list[str]:
    return [each["url"] for each in (await details(ada, id))["trackers"]]


async def until_tracker_works(ada: Client, id: int) -> None:
    async with asyncio.timeout(60):
        while [each["state"] for each in (await details(ada, id))["trackers"]] != ["working"]:
            await asyncio.sleep(0.05)


async def test_tracker_that_is_added_finds_peers_of_magnet_link(tmp_path: Path) -> None:
    torrent = make_torrent(tmp_path / "seed", SIZES)
    with tracker() as (url, peers), seeder(torrent, tmp_path / "seed") as port:
        peers.append(port)
        async with client(tmp_path) as ada:
            id = await add(ada, torrent.magnet(), start=True)
            await until_state(ada, id, "metadata")
            assert await addresses(ada, id) == []
            await change(ada, id, trackers=[url])
            await until(ada, all_finished)
    assert tree(tmp_path / "data" / "done" / "example") == torrent.files


async def test_trackers_survive_restart(tmp_path: Path) -> None:
    torrent = make_torrent(tmp_path / "seed", SIZES, tracker=DEAD)
    with tracker() as (url, _peers):
        async with client(tmp_path) as ada:
            id = await upload(ada, torrent)
            assert await addresses(ada, id) == [DEAD]
            await act(ada, f"/api/packages/{id}/start")
            await until_state(ada, id, "downloading")
            await change(ada, id, trackers=[url], uploadLimitKib=7)
        async with client(tmp_path) as ada:
            await until_state(ada, id, "downloading")
            await until_tracker_works(ada, id)
            assert await addresses(ada, id) == [url]
            assert (await details(ada, id))["uploadLimitKib"] == 7


async def test_announcement_finds_a_new_peer_before_the_interval_ends(tmp_path: Path) -> None:
    torrent = make_torrent(tmp_path / "seed", SIZES)
    with tracker() as (url, peers), seeder(torrent, tmp_path / "seed") as port:
        async with client(tmp_path) as ada:
            id = await upload(ada, torrent)
            await change(ada, id, trackers=[url])
            early = await ada.post(f"/api/torrents/{id}/announce")
            assert (early.status_code, early.json()["code"]) == (409, "torrent_not_running")
            await act(ada, f"/api/packages/{id}/start")
            await until_tracker_works(ada, id)
            peers.append(port)
            await act(ada, f"/api/torrents/{id}/announce")
            await until(ada, all_finished)


async def until_errors(ada: Client, id: int) -> dict[str, tuple[str, Any]]:
    """Wait until all trackers have failed; return why, by address."""
    async with asyncio.timeout(60):
        while True:
            found = (await details(ada, id))["trackers"]
            if all(each["state"] == "failed" for each in found):
                return {each["url"]: (each["error"], each["problem"]) for each in found}
            await asyncio.sleep(0.05)


def says(text: str) -> dict[str, Any]:
    return {"code": "tracker_says", "inputs": {"text": text}}


def network_error(reason: str) -> dict[str, Any]:
    return {"code": "network_error", "inputs": {"reason": reason}}


async def test_failed_tracker_says_why_in_words(tmp_path: Path) -> None:
    torrent = make_torrent(tmp_path / "seed", SIZES)
    refusals = ["You are banned"]
    with tracker(refusals) as (url, _peers):
        async with client(tmp_path) as ada:
            id = await upload(ada, torrent)
            missing = "http://nowhere.invalid/announce"
            await change(ada, id, trackers=[url, DEAD, missing])
            await act(ada, f"/api/packages/{id}/start")
            assert await until_errors(ada, id) == {
                url: ("You are banned", says("You are banned")),
                DEAD: ("Connection refused", network_error("connect")),
                missing: ("Host not found", network_error("dns")),
            }
            await change(ada, id, trackers=[url])
            refusals.clear()
            await act(ada, f"/api/torrents/{id}/announce")
            await until_tracker_works(ada, id)
            # One success does not hide later errors.
            refusals.append("Closed")
            await act(ada, f"/api/torrents/{id}/announce")
            assert await until_errors(ada, id) == {url: ("Closed", says("Closed"))}


async def test_invalid_tracker_is_refused(tmp_path: Path) -> None:
    wrong = ("", "tracker.example", "ftp://host/announce", "udp://:80", "http://a b\n/")
    async with client(tmp_path) as ada:
        id = await upload(ada, make_torrent(tmp_path / "seed", SIZES, tracker=DEAD))
        for address in wrong:
            answer = await ada.patch(f"/api/torrents/{id}", json={"trackers": [DEAD, address]})
            assert (answer.status_code, answer.json()["code"]) == (400, "tracker_invalid")
        assert await addresses(ada, id) == [DEAD]


async def test_sequential_torrent_arrives_from_its_beginning(tmp_path: Path) -> None:
    torrent = make_torrent(tmp_path / "seed", LONG)
    with seeder(torrent, tmp_path / "seed", limit="400K") as port:
        async with client(tmp_path) as ada:
            id = await upload(ada, torrent)
            await change(ada, id, sequential=True)
            with tracker() as (url, peers):
                peers.append(port)
                await change(ada, id, trackers=[url])
                await act(ada, f"/api/packages/{id}/start")
                await until_bytes(ada, 600_000)
                await act(ada, f"/api/packages/{id}/pause")
                await until_state(ada, id, None)
            [part] = (tmp_path / "data" / "tmp").glob("torrent-*/0")
            assert part.read_bytes()[:400_000] == torrent.files["long.bin"][:400_000]


async def test_qbittorrent_clients_change_trackers_and_upload_limit(tmp_path: Path) -> None:
    torrent = make_torrent(tmp_path / "seed", SIZES, tracker=DEAD)
    own = {"hash": torrent.info_hash}
    async with client(tmp_path) as ada:
        id = await upload(ada, torrent)
        await act(ada, f"/api/packages/{id}/start")

        async def send(method: str, **fields: str) -> int:
            answer = await ada.post(f"/api/v2/torrents/{method}", data=fields)
            return answer.status_code

        assert (
            await send("addTrackers", **own, urls="udp://a.example:80\nudp://b.example:80") == 200
        )
        assert await send("editTracker", **own, origUrl=DEAD, newUrl="https://c.example/a") == 200
        assert await send("editTracker", **own, origUrl=DEAD, newUrl="https://d.example/a") == 409
        assert await send("removeTrackers", **own, urls="udp://a.example:80|udp://x") == 200
        assert await send("removeTrackers", **own, urls="udp://x") == 409
        assert await send("reannounce", hashes=torrent.info_hash) == 200
        assert await send("setUploadLimit", hashes=torrent.info_hash, limit="10240") == 200
        shown = await ada.get("/api/v2/torrents/trackers", params=own)
        assert [each["url"] for each in shown.json()] == [
            "https://c.example/a",
            "udp://b.example:80",
        ]
        [row] = (await ada.get("/api/v2/torrents/info")).json()
        assert (row["up_limit"], row["trackers_count"]) == (10240, 2)
