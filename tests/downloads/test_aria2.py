"""The protocol of the aria2 interface: authentication, JSON-RPC and notifications."""

import base64
import json
import logging
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, WSCloseCode, WSMsgType

from quartet.downloads.aria2.notifications import notifications_for
from quartet.kernel.error_responses import MAX_BODY_BYTES, MAX_PUBLIC_BODY_BYTES
from tests.client import Client
from tests.downloads.aria2_rpc import Rpc, token_of
from tests.downloads.conftest import logged_in
from tests.kernel.test_audit import audit_lines
from tests.real_servers import free_port

pytestmark = pytest.mark.anyio


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

    for broken in ("{", "[" * 5000):
        assert await code(broken) == -32700
    assert await code('{"id": 1}') == -32600
    assert await code('{"method": "aria2.none", "params": []}') == -32601
    assert "different" in await rpc.error("pause")
    for gid in ("x", "", "9a27000000000001", "0" * 17):
        assert "GID" in await rpc.error("tellStatus", gid)


async def test_parameters_of_other_types_are_refused(rpc: Rpc) -> None:
    uris = ["http://127.0.0.1:9/x"]
    calls: list[tuple[Any, ...]] = [
        ("tellStatus", 5),
        ("addUri", "http://127.0.0.1:9/x"),
        ("addUri", [5]),
        ("addUri", uris, 5),
        ("addUri", uris, {}, "first"),
        ("addTorrent", 5),
        ("addMetalink", "", ["x"]),
        ("tellWaiting", 0, 9, 5),
        ("tellStopped", "0", 9),
        ("changePosition", "9a27000000000001", 0, "POS_ANY"),
        ("changeGlobalOption", []),
    ]
    for method, *params in calls:
        assert await rpc.error(method, *params) == "Illegal argument.", method


async def test_deletions_are_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "quartet.audit")
    async with logged_in(tmp_path, aria2_port=(port := free_port())) as ada:
        secret = f"token:{await token_of(ada)}"
        call = {"id": 1, "method": "aria2.purgeDownloadResult", "params": [secret]}
        with audit_lines("console") as lines:
            await ada.post("/jsonrpc", json=call)
            async with ClientSession() as session:
                await session.post(f"http://127.0.0.1:{port}/jsonrpc", json=call)
        expected = "deleted client=127.0.0.1 service=downloads user=api path=/jsonrpc"
        assert [expected in line for line in lines] == [True, True]


async def test_large_message_needs_a_valid_token_at_its_start(tmp_path: Path) -> None:
    async with logged_in(tmp_path, aria2_port=(port := free_port())) as ada:
        secret = f"token:{await token_of(ada)}"
        padding = "x" * 2 * MAX_PUBLIC_BODY_BYTES
        address = f"http://127.0.0.1:{port}/jsonrpc"
        async with ClientSession() as session, session.ws_connect(address) as socket:
            call = {"id": 1, "method": "aria2.addMetalink", "params": [secret, padding]}
            await socket.send_json(call)
            assert (await socket.receive_json())["error"]["message"] == "container_damaged"
            await socket.send_json({**call, "params": ["token:wrong", padding]})
            assert (await socket.receive()).type == WSMsgType.CLOSE
            assert socket.close_code == WSCloseCode.MESSAGE_TOO_BIG


async def test_refused_token_is_logged_once_per_request(tmp_path: Path) -> None:
    async with logged_in(tmp_path, aria2_port=(port := free_port())) as ada:
        await token_of(ada)
        call = {"id": 1, "method": "aria2.getVersion", "params": ["token:wrong"]}
        with audit_lines("console") as lines:
            await ada.post("/jsonrpc", json=[call] * 100)
            await ada.post("/jsonrpc", json={**call, "params": []})
            async with ClientSession() as session:
                await session.post(f"http://127.0.0.1:{port}/jsonrpc", json=[call] * 100)
        expected = "token_refused client=127.0.0.1 service=downloads code=wrong_token path=/jsonrpc"
        assert [expected in line for line in lines] == [True, True]
        page = (await ada.get("/api/system/audit?event=token_refused")).json()
        assert len(page["entries"]) == 2


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
