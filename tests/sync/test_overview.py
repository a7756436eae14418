"""The overview, and the updates a browser receives."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from sqlalchemy import text

from quartet.kernel.db import Tx
from quartet.sync.login.service import Login
from quartet.sync.protocol import FolderStatus, Status
from tests.sync.running_app import RunningApp, running_app, until

pytestmark = pytest.mark.anyio

SECONDS = 60.0


@asynccontextmanager
async def browser(
    app: RunningApp, **headers: str
) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    cookie = "; ".join(f"{name}={value}" for name, value in app.admin.cookies.items())
    async with (
        aiohttp.ClientSession(app.url, headers={"cookie": cookie, **headers}) as session,
        session.ws_connect("/api/ws") as socket,
    ):
        yield socket


async def update(socket: aiohttp.ClientWebSocketResponse) -> dict[str, Any]:
    """Return the next update; skip other messages."""
    async with asyncio.timeout(SECONDS):
        while (message := await socket.receive_json())["type"] != "update":
            pass
    found: dict[str, Any] = message
    return found


async def closed(socket: aiohttp.ClientWebSocketResponse) -> int | None:
    async with asyncio.timeout(SECONDS):
        while not socket.closed:
            await socket.receive()
    return socket.close_code


async def test_empty_server(app: RunningApp) -> None:
    async def settled() -> bool:
        # Several servers first have to agree on the owner of the hub.
        state: str = (await app.overview())["hub"]["state"]
        return state != "starting"

    await until(settled)
    assert await app.overview() == {
        "revision": 0,
        "hub": {
            "engineId": "",
            "engineVersion": "",
            "address": "",
            "state": "stopped",
            "error": {"code": "hub_off"},
            "appliedRevision": 0,
        },
        "devices": [],
        "folders": [],
        "shares": [],
        "waiting": [],
        "problems": [],
        "pendingDevices": [],
        "pathTemplate": "~/Sync/{folder}",
    }
    assert await app.get("/api/status") == {"devices": {}, "hub": {"folders": {}}}
    assert await app.get("/api/events") == []


async def test_socket_sends_full_update_then_changes(app: RunningApp) -> None:
    device_id, agent = await app.device()
    other_id, _ = await app.device()
    folder = await app.folder()
    await agent.state(await app.share(folder["id"], device_id, "/p"))
    async with browser(app) as socket:
        first = await socket.receive_json()
        assert (first["type"], first["service"]) == ("system", "sync")
        whole = await update(socket)
        assert whole["revision"] == 4
        assert whole["online"] == [device_id, other_id]
        assert set(whole["status"]["devices"]) == {str(device_id), str(other_id)}

        status = FolderStatus("scanning", files=1)
        await agent.say(Status({folder["engineFolderId"]: status}))
        heard: dict[str, Any] = {}
        while not heard.get(str(device_id), {}).get("folders"):
            heard = (await update(socket))["status"]["devices"]
        assert heard[str(device_id)]["folders"][str(folder["id"])]["state"] == "scanning"

        await agent.leave()
        while (await update(socket))["online"] != [other_id]:
            pass


async def test_waiting_agent_is_shown_at_once(app: RunningApp) -> None:
    async with browser(app) as socket:
        assert (await update(socket))["waiting"] == []
        agent = app.agent()
        await agent.greet()
        while not (heard := await update(socket))["waiting"]:
            pass
        assert heard["waiting"][0]["fingerprint"] == agent.fingerprint


async def test_updates_are_limited_to_one_per_300_ms(app: RunningApp) -> None:
    async with browser(app) as socket:
        await update(socket)
        began, updates = time.monotonic(), 1
        for number in range(20):
            await app.folder(f"Folder {number}")
        while (await update(socket))["revision"] < 20:
            updates += 1
        assert updates <= (time.monotonic() - began) / 0.3 + 2


async def test_socket_closes_on_sign_out(app: RunningApp) -> None:
    async with browser(app) as socket:
        await update(socket)
        await app.post("/api/logout")
        assert await closed(socket) == 4401


async def test_new_password_closes_sockets(app: RunningApp) -> None:
    async with browser(app) as socket:
        await update(socket)
        # As on the command line, in another process.
        Login(app.started.kernel.db).set_password("battery staple")
        assert await closed(socket) == 4401


async def test_expired_session_closes_socket(app: RunningApp) -> None:
    def end_soon(tx: Tx) -> None:
        soon = {"at": int(time.time()) + 5}
        tx.conn.execute(text("UPDATE sessions SET expires_at = :at"), soon)

    await app.started.kernel.db.write(end_soon)
    async with browser(app) as socket:
        await update(socket)
        assert await closed(socket) == 4401


async def test_foreign_origin_and_host_are_rejected(data: Path) -> None:
    async with running_app(data, allowed_hosts=("127.0.0.1",)) as app:
        for headers in ({"origin": "https://evil.example"}, {"host": "evil.example"}):
            with pytest.raises(aiohttp.WSServerHandshakeError) as error:
                async with browser(app, **headers):
                    pass
            assert error.value.status == 403
        # A form on a foreign page can send plain text, but has no token.
        text_plain = {"content-type": "text/plain"}
        answer = await app.refused("POST", "/api/shares", content=b"{}", headers=text_plain)
        assert answer == (415, "wrong_content_type")
        no_token = {"x-csrf-token": ""}
        for path in ("/api/shares", "/api/folders", "/api/enrollments"):
            answer = await app.refused("POST", path, json={}, headers=no_token)
            assert answer == (403, "csrf_failed")
        rebound = await app.refused("GET", "/api/overview", headers={"host": "evil.example"})
        assert rebound == (403, "host_not_allowed")


async def test_everything_needs_sign_in(app: RunningApp) -> None:
    app.admin.cookies.clear()
    for path in ("overview", "status", "events", "revisions"):
        assert await app.refused("GET", f"/api/{path}") == (401, "signed_out")
    for path in ("folders", "shares", "enrollments", "waiting/x/reject", "revisions/1/restore"):
        answer = await app.refused("POST", f"/api/{path}", json={})
        assert answer == (401, "signed_out")


async def test_activity_is_paged(app: RunningApp) -> None:
    for _ in range(2):
        await app.device()
    events = await app.get("/api/events")
    assert [event["code"] for event in events] == ["connected", "paired"] * 2
    assert (events[0]["deviceId"], events[0]["inputs"]) == (2, {"device": "laptop 2"})
    older = await app.get("/api/events", before=events[1]["id"], limit=1)
    assert older == [events[2]]
