"""Addresses of indexers: only the answer shows that they lead to a torrent."""

import base64
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.client import Client
from tests.downloads.api_calls import act, add, one, packages, until
from tests.downloads.aria2_rpc import Rpc
from tests.downloads.plugins import imitation
from tests.downloads.torrents import Torrent, make_torrent

pytestmark = pytest.mark.anyio

SIZES = {"a.bin": 1000, "sub/b.bin": 10}
KIND = {"Content-Type": "application/x-bittorrent"}
NAMED = {"Content-Disposition": 'attachment; filename="any.torrent"'}


@pytest.fixture
def torrent(tmp_path: Path) -> Torrent:
    return make_torrent(tmp_path / "seed", SIZES)


def answers(torrent: Torrent) -> dict[str, Any]:
    def file(headers: dict[str, str]) -> Any:
        async def answer(_request: web.Request) -> web.Response:
            return web.Response(body=torrent.metainfo, headers=headers)

        return answer

    async def redirect(_request: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": torrent.magnet()})

    return {
        "GET /1/download": file(KIND),
        "GET /folder/": file(NAMED),
        "GET /dl.php": file({"Content-Type": "application/octet-stream"}),
        "GET /magnet": redirect,
        "GET /folder/magnet/": redirect,
    }


@pytest.mark.parametrize("start", [False, True], ids=["grabber", "queue"])
@pytest.mark.parametrize("path", ["1/download?id=1", "folder/", "magnet", "folder/magnet/"])
async def test_link_of_indexer_becomes_torrent(
    ada: Client, torrent: Torrent, path: str, start: bool
) -> None:
    async with imitation(answers(torrent)) as base:
        await add(ada, f"{base}/{path}", packageName="Mine", targetDir="tv", start=start)
        await until(ada, lambda all: bool(all) and all[0]["host"].startswith("torrent:"))
    package = await one(ada, "queue" if start else "collector")
    assert (package["name"], package["targetDir"]) == ("Mine", "tv")
    assert package["infoHash"] == torrent.info_hash


@pytest.mark.parametrize("path", ["1/download?id=1", "dl.php?id=1", "magnet"])
async def test_qbittorrent_client_adds_link_of_indexer(
    ada: Client, torrent: Torrent, path: str
) -> None:
    async with imitation(answers(torrent)) as base:
        given = {"urls": f"{base}/{path}", "category": "tv", "stopped": "true"}
        assert (await ada.post("/api/v2/torrents/add", data=given)).text == "Ok."
        again = await ada.post("/api/v2/torrents/add", data=given)
    [shown] = (await ada.get("/api/v2/torrents/info?category=tv")).json()
    assert (shown["hash"], shown["name"]) == (torrent.info_hash, "example")
    # As in qBittorrent, a torrent that exists is not added again.
    assert again.text == "Fails."


async def test_qbittorrent_client_adds_info_hash(ada: Client, torrent: Torrent) -> None:
    given = {"urls": torrent.info_hash.upper(), "stopped": "true"}
    assert (await ada.post("/api/v2/torrents/add", data=given)).text == "Ok."
    assert (await one(ada, "queue"))["infoHash"] == torrent.info_hash


async def test_file_of_indexer_that_is_no_torrent_states_its_reason(ada: Client) -> None:
    async def answer(_request: web.Request) -> web.Response:
        return web.Response(body=b"d1:", headers=NAMED)

    async with imitation({"GET /1/download": answer}) as base:
        await add(ada, f"{base}/1/download", start=True)
        [shown] = await until(ada, lambda all: all[0]["status"] == "failed")
    assert shown["error"]["code"] in ("container_damaged", "no_links")


async def test_torrent_of_aria2_client_gets_folder_of_its_own(
    ada: Client, rpc: Rpc, torrent: Torrent
) -> None:
    """Clients import the whole folder, which must not contain the files of others."""
    folder = (await rpc("getGlobalOption"))["dir"]
    content = base64.b64encode(torrent.metainfo).decode()
    gid = await rpc("addTorrent", content, [], {"dir": f"{folder}/tv", "pause": True}, 0)
    files = await rpc("getFiles", gid)
    assert [each["path"] for each in files] == [f"{folder}/tv/example/{path}" for path in SIZES]
    assert "already registered" in await rpc.error("addUri", [torrent.magnet()])
    assert len(await packages(ada)) == 1


async def test_same_torrent_is_reported_as_duplicate(ada: Client, torrent: Torrent) -> None:
    id = await add(ada, torrent.magnet())
    links = {"links": f"{torrent.magnet()}&tr=http%3A%2F%2Ftracker.invalid%2Fannounce"}
    assert (await ada.post("/api/links", json=links)).json()["duplicates"] == 1
    await act(ada, f"/api/packages/{id}", "DELETE")
