"""Downloads that clients of aria2 add, change and remove."""

import base64
from pathlib import Path

import pytest
from aiohttp import web

from quartet.downloads.aria2.status import PIECE, bitfield
from tests.client import Client
from tests.downloads.api_calls import add, downloads, until, until_all
from tests.downloads.aria2_rpc import Rpc, token_of
from tests.downloads.conftest import logged_in
from tests.downloads.plugins import imitation
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio


async def test_added_file_is_downloaded(
    ada: Client, rpc: Rpc, server: FileServer, tmp_path: Path
) -> None:
    url, folder = server.put("x.bin", b"x" * 3000), tmp_path / "done" / "films"
    given = {"gid": "2089B05ECCA3D829", "out": "sub/mine.bin", "dir": str(folder), "odd": "kept"}
    gid = await rpc("addUri", [url, "http://mirror.invalid/x.bin"], given)
    assert gid == "2089b05ecca3d829"
    assert "not unique" in await rpc.error("addUri", [url], given)
    await until_all(ada, "finished")
    shown = await rpc("tellStatus", gid)
    assert (shown["status"], shown["totalLength"], shown["errorCode"]) == ("complete", "3000", "0")
    assert shown["files"][0]["path"] == str(folder / "mine.bin")
    assert (folder / "mine.bin").read_bytes() == b"x" * 3000
    assert await rpc("tellStatus", gid, ["gid", "status"]) == {"gid": gid, "status": "complete"}
    uris = await rpc("getUris", gid)
    assert [each["status"] for each in uris] == ["used", "waiting"]
    assert (await rpc("getOption", gid))["odd"] == "kept"
    assert [each["gid"] for each in await rpc("tellStopped", 0, 10)] == [gid]
    assert await rpc("removeDownloadResult", gid) == "OK"
    assert await rpc("tellStopped", 0, 10) == []
    assert (folder / "mine.bin").exists()


async def test_folders_outside_of_done_folder_are_refused(rpc: Rpc, tmp_path: Path) -> None:
    for folder in ("/etc", str(tmp_path / "done" / ".." / "x")):
        message = await rpc.error("addUri", ["http://host.invalid/x"], {"dir": folder})
        assert message.startswith("dir must be inside of")
    assert await rpc.error("addUri", ["magnet:?xt=1"]) == "no_links"
    assert "container_damaged" in await rpc.error("addTorrent", "ZA==")


async def test_file_goes_directly_into_the_global_folder(
    ada: Client, rpc: Rpc, server: FileServer, tmp_path: Path
) -> None:
    folder = (await rpc("getGlobalOption"))["dir"]
    await rpc("addUri", [server.put("x.bin", b"x")], {"dir": folder})
    await until(ada, lambda all: all[0]["file"] == "x.bin")
    assert (tmp_path / "done" / "x.bin").read_bytes() == b"x"


async def test_headers_are_sent_and_not_stored_in_plain_text(ada: Client, rpc: Rpc) -> None:
    seen: dict[str, str] = {}

    async def file(request: web.Request) -> web.StreamResponse:
        seen.update(request.headers)
        return web.Response(body=b"x", content_type="application/octet-stream")

    async with imitation({"GET /x.bin": file}) as base:
        headers = ["Cookie: session=very-secret", "X-Own: 1"]
        given = {"header": headers, "referer": "http://page.example/", "user-agent": "Own/1"}
        gid = await rpc("addUri", [f"{base}/x.bin"], given)
        await until_all(ada, "finished")
    assert (seen["Cookie"], seen["X-Own"]) == ("session=very-secret", "1")
    assert (seen["Referer"], seen["User-Agent"]) == ("http://page.example/", "Own/1")
    assert not {"header", "referer"} & (await rpc("getOption", gid)).keys()
    query = "SELECT options, request_headers FROM aria2_downloads, downloads"
    db = ada.started.kernel.db
    stored = await db.read(lambda conn: conn.exec_driver_sql(query).one())
    assert "very-secret" not in str(stored)


async def test_queue_is_paged_and_reordered(ada: Client, rpc: Rpc) -> None:
    await rpc("changeGlobalOption", {"max-concurrent-downloads": "1"})
    await add(ada, *(f"http://host.invalid/{name}" for name in "abc"), start=True)
    await add(ada, "http://host.invalid/d", start=True)
    await ada.post("/api/downloads/pause-all")
    await until_all(ada, "paused")

    async def order() -> list[str]:
        waiting = await rpc("tellWaiting", 0, 100, ["files"])
        return [each["files"][0]["path"].rpartition("/")[2] for each in waiting]

    assert await order() == ["a", "b", "c", "d"]
    gids = [each["gid"] for each in await rpc("tellWaiting", 0, 100, ["gid"])]
    assert [each["gid"] for each in await rpc("tellWaiting", -1, 2, ["gid"])] == gids[:1:-1]
    assert await rpc("tellWaiting", 9, 9) == []
    # Within a package, then a package as a whole.
    assert await rpc("changePosition", gids[2], 0, "POS_SET") == 0
    assert await order() == ["c", "a", "b", "d"]
    assert await rpc("changePosition", gids[3], -3, "POS_CUR") == 0
    assert await order() == ["d", "c", "a", "b"]
    assert await rpc("changePosition", gids[3], 0, "POS_END") == 3
    assert "Illegal" in await rpc.error("changePosition", gids[3], 0, "POS_ODD")


async def test_pause_remove_and_purge(ada: Client, rpc: Rpc, server: FileServer) -> None:
    await rpc("changeGlobalOption", {"max-concurrent-downloads": "1"})
    server.open.clear()
    first = await rpc("addUri", [server.put("big.bin", b"x" * 3_000_000)])
    second = await rpc("addUri", ["http://host.invalid/y"], {"pause": "true"})
    await until(ada, lambda all: [each["status"] for each in all] == ["downloading", "paused"])
    assert [each["gid"] for each in await rpc("tellActive")] == [first]
    assert (await rpc("getServers", first))[0]["servers"][0]["uri"].endswith("big.bin")
    stat = await rpc("getGlobalStat")
    assert (stat["numActive"], stat["numWaiting"], stat["numStopped"]) == ("1", "1", "0")
    assert await rpc("pause", first) == first
    assert "cannot be paused" in await rpc.error("pause", first)
    await until_all(ada, "paused")
    assert await rpc("unpauseAll") == "OK"
    await rpc("forcePauseAll")
    assert await rpc("remove", second) == second
    assert (await rpc("tellStatus", second))["status"] == "removed"
    server.open.set()
    await rpc("unpause", first)
    await until_all(ada, "finished")
    assert "not found" in await rpc.error("remove", first)
    assert {each["gid"] for each in await rpc("tellStopped", 0, 9)} == {first, second}
    await rpc("purgeDownloadResult")
    assert await rpc("tellStopped", 0, 9) == []


async def test_options_are_mapped_to_settings(ada: Client, rpc: Rpc) -> None:
    options = {
        "max-concurrent-downloads": "7",
        "max-overall-download-limit": "2M",
        "split": "8",
        "max-tries": "9",
        "bt-tracker": "kept",
    }
    assert await rpc("changeGlobalOption", options) == "OK"
    settings = (await ada.get("/api/settings")).json()
    names = ("maxParallel", "speedLimitKib", "connectionsPerFile", "maxRetries")
    assert [settings[name] for name in names] == [7, 2048, 8, 9]
    shown = await rpc("getGlobalOption")
    assert (shown["bt-tracker"], shown["max-overall-download-limit"]) == ("kept", "2097152")
    assert "number" in await rpc.error("changeGlobalOption", {"split": "many"})
    gid = await rpc("addUri", ["http://host.invalid/x"], {"pause": "true"})
    await rpc("changeOption", gid, {"max-download-limit": "100K", "odd": True})
    [download] = await downloads(ada)
    assert download["speedLimitKib"] == 100
    shown = await rpc("getOption", gid)
    assert (shown["max-download-limit"], shown["odd"]) == ("102400", "true")


async def test_checksum_of_client_is_verified(ada: Client, rpc: Rpc, server: FileServer) -> None:
    await rpc("addUri", [server.put("x.bin", b"x")], {"checksum": f"sha-256={'0' * 64}"})
    [failed] = await until_all(ada, "failed")
    assert failed["error"]["code"] == "hash_wrong"
    [shown] = await rpc("tellStopped", 0, 9)
    assert (shown["status"], shown["errorCode"]) == ("error", "32")


async def test_addresses_can_be_changed(rpc: Rpc) -> None:
    one, two, three = (f"http://{host}.invalid/x" for host in ("one", "two", "three"))
    gid = await rpc("addUri", [one, two], {"pause": "true"})
    assert await rpc("changeUri", gid, 1, [one, three], [three], 0) == [1, 1]
    assert [each["uri"] for each in await rpc("getUris", gid)] == [three, two]


async def test_gids_survive_restart(tmp_path: Path) -> None:
    async with logged_in(tmp_path) as ada:
        rpc = Rpc(ada, await token_of(ada))
        chosen = await rpc("addUri", ["http://host.invalid/x"], {"gid": "a" * 16, "pause": "true"})
        made = await rpc("addUri", ["http://host.invalid/y"], {"pause": "true", "odd": "1"})
        await add(ada, "http://host.invalid/z", start=True)
        before = [each["gid"] for each in await rpc("tellWaiting", 0, 9)]
    async with logged_in(tmp_path) as ada:
        rpc = Rpc(ada, rpc.token)
        await ada.post("/api/downloads/pause-all")
        assert [each["gid"] for each in await rpc("tellWaiting", 0, 9)][:2] == before[:2]
        assert before[:2] == [chosen, made]
        assert (await rpc("getOption", made))["odd"] == "1"


async def test_metalink_is_added_at_its_place(rpc: Rpc) -> None:
    waiting = [await rpc("addUri", [f"http://a.invalid/{name}"], {"pause": True}) for name in "ab"]
    files = "".join(
        f'<file name="{name}"><url>http://m.invalid/{name}</url></file>' for name in "xy"
    )
    text = f'<metalink xmlns="urn:ietf:params:xml:ns:metalink">{files}</metalink>'
    content = base64.b64encode(text.encode()).decode()
    added = await rpc("addMetalink", content, {"pause": True}, 1)
    shown = [each["gid"] for each in await rpc("tellWaiting", 0, 9, ["gid"])]
    assert shown == [waiting[0], *added, waiting[1]]


async def test_bit_field_has_one_bit_per_complete_piece() -> None:
    size = 5 * PIECE + 10
    spans = [(0, 2 * PIECE, 3 * PIECE), (3 * PIECE, 3 * PIECE + 5, None), (5 * PIECE, size, size)]
    assert bitfield(spans, 6, size) == "c4"
    assert bitfield([(0, size, size)], 6, size) == "fc"
