"""The aria2 interface, called directly."""

import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, web

from quartet.downloads.aria2 import store as aria2_store
from quartet.downloads.aria2.notifications import notifications_for
from quartet.downloads.aria2.status import PIECE, bitfield
from quartet.downloads.bittorrent import store as bittorrent_store
from quartet.downloads.bittorrent.store import StoredTorrent
from quartet.kernel.db import Tx
from quartet.kernel.error_responses import MAX_BODY_BYTES, MAX_PUBLIC_BODY_BYTES
from tests.client import Client, client_at
from tests.downloads.api_calls import add, downloads, until, until_all
from tests.downloads.conftest import logged_in
from tests.downloads.plugins import imitation
from tests.downloads.server import FileServer
from tests.downloads.torrents import make_torrent
from tests.real_servers import free_port

pytestmark = pytest.mark.anyio


class Rpc:
    def __init__(self, client: Client, token: str) -> None:
        self.client = client
        self.token = token

    async def answer(self, method: str, *params: Any) -> dict[str, Any]:
        body = {"jsonrpc": "2.0", "id": "q", "method": method, "params": list(params)}
        answer = await self.client.post("/jsonrpc", content=json.dumps(body))
        shown: dict[str, Any] = answer.json()
        assert answer.status_code == (400 if "error" in shown else 200)
        assert (shown["jsonrpc"], shown["id"]) == ("2.0", "q")
        return shown

    async def __call__(self, method: str, *params: Any) -> Any:
        shown = await self.answer(f"aria2.{method}", f"token:{self.token}", *params)
        assert "result" in shown, shown
        return shown["result"]

    async def error(self, method: str, *params: Any) -> str:
        shown = await self.answer(f"aria2.{method}", f"token:{self.token}", *params)
        return str(shown["error"]["message"])


async def token_of(client: Client) -> str:
    return str((await client.post("/api/settings/api-token")).json()["token"])


@pytest.fixture
async def rpc(ada: Client) -> AsyncIterator[Rpc]:
    """A client without a session, as all aria2 clients."""
    async with client_at(ada.started) as stranger:
        yield Rpc(stranger, await token_of(ada))


async def test_token_is_required(ada: Client, rpc: Rpc) -> None:
    for params in ([], ["token:wrong"], ["token:"], [5]):
        shown = await rpc.answer("aria2.getVersion", *params)
        assert shown["error"] == {"code": 1, "message": "Unauthorized"}
    # The session of a browser does not count, because other pages could use it.
    shown = await Rpc(ada, "").answer("aria2.getVersion")
    assert shown["error"]["message"] == "Unauthorized"
    assert (await rpc("getVersion"))["version"] == "1.37.0"
    await token_of(ada)
    assert await rpc.error("getVersion") == "Unauthorized"


async def test_large_bodies_need_a_valid_token_at_their_start(rpc: Rpc) -> None:
    padding = "x" * 2 * MAX_PUBLIC_BODY_BYTES
    assert await rpc.error("addMetalink", padding) == "container_damaged"

    async def status(*params: str) -> int:
        body = json.dumps({"method": "aria2.addMetalink", "params": params})
        return (await rpc.client.post("/jsonrpc", content=body)).status_code

    assert await status("token:wrong", padding) == 413
    assert await status(padding) == 413
    assert await status(padding, f"token:{rpc.token}") == 413
    assert await status(f"token:{rpc.token}", "x" * MAX_BODY_BYTES) == 413


async def test_page_of_other_origin_may_call(rpc: Rpc) -> None:
    foreign = {"Origin": "https://ariang.example", "Sec-Fetch-Site": "cross-site"}
    asking = {**foreign, "Access-Control-Request-Method": "POST"}
    assert (await rpc.client.options("/jsonrpc", headers=asking)).status_code == 204
    rpc.client.headers.update(foreign)
    assert (await rpc("getGlobalStat"))["numActive"] == "0"


async def test_documented_methods_exist(rpc: Rpc) -> None:
    names = """addUri addTorrent addMetalink remove forceRemove pause pauseAll forcePause
        forcePauseAll unpause unpauseAll tellStatus getUris getFiles getPeers getServers tellActive
        tellWaiting tellStopped changePosition changeUri getOption changeOption getGlobalOption
        changeGlobalOption getGlobalStat purgeDownloadResult removeDownloadResult getVersion
        getSessionInfo shutdown forceShutdown saveSession"""
    listed = (await rpc.answer("system.listMethods"))["result"]
    system = {"system.multicall", "system.listMethods", "system.listNotifications"}
    assert set(listed) == {f"aria2.{name}" for name in names.split()} | system
    assert len((await rpc.answer("system.listNotifications"))["result"]) == 6


async def test_invalid_requests_have_json_rpc_errors(rpc: Rpc) -> None:
    async def code(content: str) -> int:
        answer = await rpc.client.post("/jsonrpc", content=content)
        return int(answer.json()["error"]["code"])

    assert await code("{") == -32700
    assert await code('{"id": 1}') == -32600
    assert await code('{"method": "aria2.none", "params": []}') == -32601
    assert "different" in await rpc.error("pause")
    for gid in ("x", "", 5, "9a27000000000001", "0" * 17):
        assert "GID" in await rpc.error("tellStatus", gid)


async def test_batch_and_multicall(rpc: Rpc) -> None:
    secret = f"token:{rpc.token}"
    one = {"jsonrpc": "2.0", "id": 1, "method": "aria2.getVersion", "params": [secret]}
    answer = await rpc.client.post("/jsonrpc", content=json.dumps([one, {**one, "id": 2}]))
    assert [each["id"] for each in answer.json()] == [1, 2]
    calls = [
        {"methodName": "aria2.getSessionInfo", "params": [secret]},
        {"methodName": "aria2.tellStatus", "params": [secret, "1"]},
        {"methodName": "aria2.getVersion", "params": []},
        {"methodName": "system.multicall", "params": [[]]},
    ]
    good, missing, refused, nested = (await rpc.answer("system.multicall", calls))["result"]
    assert len(good[0]["sessionId"]) == 40
    assert missing == {"code": 1, "message": "GID 1 is not found"}
    assert refused["message"] == "Unauthorized"
    assert nested["code"] == 1


async def test_get_request_and_jsonp(rpc: Rpc) -> None:
    params = base64.b64encode(json.dumps([f"token:{rpc.token}"]).encode()).decode()
    query = {"method": "aria2.getVersion", "id": "x", "params": params}
    answer = await rpc.client.get("/jsonrpc", params=query)
    assert answer.json()["result"]["version"] == "1.37.0"
    script = await rpc.client.get("/jsonrpc", params={**query, "jsoncallback": "cb.go"})
    assert script.text.startswith("cb.go({")
    bad = await rpc.client.get("/jsonrpc", params={**query, "jsoncallback": "alert(1)//"})
    assert bad.status_code == 400


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


async def test_additional_port_answers_requests_and_sends_notifications(tmp_path: Path) -> None:
    async with logged_in(tmp_path, aria2_port=(port := free_port())) as ada:
        secret = f"token:{await token_of(ada)}"
        request = {"jsonrpc": "2.0", "id": 1, "method": "aria2.getVersion", "params": [secret]}
        address = f"http://127.0.0.1:{port}/jsonrpc"
        async with ClientSession() as session:
            async with session.post(address, json=request) as answer:
                assert (await answer.json())["result"]["version"] == "1.37.0"
            async with session.post(address, json={**request, "params": []}) as answer:
                assert answer.status == 400
            async with session.ws_connect(address) as socket:
                await socket.send_json(request)
                assert (await socket.receive_json())["id"] == 1
                params = [secret, ["http://127.0.0.1:9/x"]]
                await socket.send_json({"id": 2, "method": "aria2.addUri", "params": params})
                seen = [await socket.receive_json(), await socket.receive_json()]
        assert "aria2.onDownloadStart" in [each.get("method") for each in seen]


@pytest.mark.parametrize(
    ("before", "now", "names"),
    [
        (None, "queued", []),
        (None, "downloading", ["onDownloadStart"]),
        ("resolving", "downloading", []),
        ("queued", "finished", ["onDownloadStart", "onDownloadComplete"]),
        ("downloading", "paused", ["onDownloadPause"]),
        ("downloading", "failed", ["onDownloadError"]),
        ("downloading", "queued", []),
        ("paused", None, ["onDownloadStop"]),
        ("finished", None, []),
    ],
)
async def test_notifications_of_state_changes(
    before: str | None, now: str | None, names: list[str]
) -> None:
    assert notifications_for(before, now) == names


async def test_complete_torrent_has_its_own_notification() -> None:
    names = notifications_for("downloading", "finished", torrent=True)
    assert names == ["onBtDownloadComplete", "onDownloadComplete"]


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


async def test_torrent_options_are_mapped(ada: Client, rpc: Rpc, tmp_path: Path) -> None:
    """Web seeds and share limits, when it is added and afterwards."""
    torrent = make_torrent(tmp_path / "seed", {"a.bin": 1000, "b.bin": 1000})
    options = {"pause": True, "seed-ratio": "1.5", "seed-time": "0.5"}
    content = base64.b64encode(torrent.metainfo).decode()
    gid = await rpc("addTorrent", content, ["http://w.invalid/a?b"], options)

    async def stored() -> StoredTorrent:
        found = await ada.started.kernel.db.read(bittorrent_store.torrents)
        [torrent] = found.values()
        return torrent

    now = await stored()
    assert now.magnet.endswith("&ws=http%3A%2F%2Fw.invalid%2Fa%3Fb")
    assert (now.ratio_limit_percent, now.seed_limit_minutes) == (150, 1)
    assert (await rpc("getOption", gid))["seed-ratio"] == "1.5"
    await rpc("changeOption", gid, {"seed-ratio": "0.0", "seed-time": "10"})
    now = await stored()
    assert (now.ratio_limit_percent, now.seed_limit_minutes) == (-1, 10)
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


async def test_bit_field_has_one_bit_per_complete_piece() -> None:
    size = 5 * PIECE + 10
    spans = [(0, 2 * PIECE, 3 * PIECE), (3 * PIECE, 3 * PIECE + 5, None), (5 * PIECE, size, size)]
    assert bitfield(spans, 6, size) == "c4"
    assert bitfield([(0, size, size)], 6, size) == "fc"
