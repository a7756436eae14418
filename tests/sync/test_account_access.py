"""A person sees the folders of the assigned devices, and may do what the role allows."""

import asyncio
from typing import Any

import httpx
import msgspec
import pytest
from litestar.handlers import HTTPRouteHandler
from websockets.asyncio.client import ClientConnection, connect

from quartet.sync.app import ROUTES
from tests.sync.accounts import add_account, signed_in
from tests.sync.running_app import RunningApp

pytestmark = pytest.mark.anyio


async def two_devices(app: RunningApp) -> None:
    """Add a device with Photos and one with Music; both have Shared."""
    for label in ("Photos", "Music", "Shared"):
        await app.folder(label)
    await app.device()
    await app.device()
    for folder, device in ((1, 1), (2, 2), (3, 1), (3, 2)):
        await app.share(folder, device, f"/{folder}")


async def codes(person: httpx.AsyncClient, method: str, *paths: str) -> list[tuple[int, str]]:
    found = []
    for path in paths:
        answer = await person.request(method, path, json={} if method != "GET" else None)
        found.append((answer.status_code, answer.json()["code"] if answer.content else ""))
    return found


async def test_person_sees_only_folders_of_assigned_devices(app: RunningApp) -> None:
    await two_devices(app)
    await add_account(app, devices=[1])
    async with signed_in(app, "ada") as ada:
        found = (await ada.get("/api/overview")).json()
        assert [each["label"] for each in found["folders"]] == ["Photos", "Shared"]
        assert [each["id"] for each in found["devices"]] == [1]
        assert {each["deviceId"] for each in found["shares"]} == {1}
        assert list((await ada.get("/api/status")).json()["devices"]) == ["1"]
        hidden = [
            f"/api/folders/2/{what}" for what in ("files", "versions", "conflicts", "restores")
        ]
        content = "/api/folders/2/files/content?path=a"
        refused = await codes(ada, "GET", *hidden, content, "/api/folders/2/files/zip")
        assert set(refused) == {(404, "folder_not_found")}
        assert (await ada.get("/api/folders/1/conflicts")).json() == []
        held = await codes(ada, "GET", "/api/folders/3/devices/2/held")
        assert held == [(404, "device_not_found")]
        # Another assignment counts at once.
        await app.admin.patch("/api/accounts/ada", json={"devices": [2]})
        found = (await ada.get("/api/overview")).json()
        assert [each["label"] for each in found["folders"]] == ["Music", "Shared"]


async def test_activity_contains_only_visible_events(app: RunningApp) -> None:
    await two_devices(app)
    await add_account(app, devices=[1])
    async with signed_in(app, "ada") as ada:
        events = (await ada.get("/api/events")).json()
    assert events
    assert {each["deviceId"] for each in events} == {1}
    everything = await app.get("/api/events")
    assert {1, 2, None} <= {each["deviceId"] for each in everything}


async def receive(socket: ClientConnection, kind: str = "update") -> dict[str, Any]:
    async with asyncio.timeout(30):
        while True:
            found: dict[str, Any] = msgspec.json.decode(await socket.recv())
            if found["type"] == kind:
                return found


async def test_live_socket_leaves_out_other_devices(app: RunningApp) -> None:
    await two_devices(app)
    await add_account(app, devices=[1])
    async with signed_in(app, "ada") as ada:
        cookie = "; ".join(f"{name}={value}" for name, value in ada.cookies.items())
        url = app.url.replace("http", "ws", 1) + "/api/ws"
        async with connect(url, additional_headers={"cookie": cookie}) as socket:
            system = msgspec.json.decode(await socket.recv())
            assert (system["loops"], system["problems"]) == ([], [])
            first = await receive(socket)
            system = await receive(socket, "system")
            assert (system["loops"], system["problems"]) == ([], [])
            assert (first["online"], list(first["status"]["devices"])) == ([1], ["1"])
            await app.agents[1].leave()
            await app.agents[0].leave()
            while (update := await receive(socket))["online"]:
                assert set(update["status"]["devices"]) <= {"1"}
            # A removed account is disconnected.
            await app.admin.delete("/api/accounts/ada")
            async with asyncio.timeout(30):
                await socket.wait_closed()
        assert (await ada.get("/api/overview")).status_code == 401


async def test_roles_decide_what_person_may_do(app: RunningApp) -> None:
    await two_devices(app)
    await add_account(app, "reader", role="reader", devices=[1])
    await add_account(app, "editor", role="editor", devices=[1])
    await add_account(app, "boss", role="admin")
    editing = "/api/folders/1/conflicts/resolve"
    ruling = ("/api/folders", "/api/shares", "/api/enrollments", "/api/epochs", "/api/accounts")
    async with signed_in(app, "reader") as reader:
        missing = {(403, "role_missing")}
        assert set(await codes(reader, "POST", editing, *ruling)) == missing
        reading = ("/api/accounts", "/api/config/export", "/api/revisions", "/api/links")
        assert set(await codes(reader, "GET", *reading, "/api/devices/1/folders")) == missing
        assert (await reader.get("/api/sessions")).status_code == 200
    async with signed_in(app, "editor") as editor:
        # The role suffices, so the body is checked.
        assert (await codes(editor, "POST", editing))[0][0] == 400
        assert set(await codes(editor, "POST", *ruling)) == {(403, "role_missing")}
    async with signed_in(app, "boss") as boss:
        assert (await boss.post("/api/folders", json={"label": "New"})).status_code == 201
        assert len((await boss.get("/api/overview")).json()["devices"]) == 2
        [first, *_] = (await boss.get("/api/revisions")).json()
        assert first["who"] == "boss"


async def test_no_route_leads_to_other_folders_and_devices(app: RunningApp) -> None:
    """Folder 3 is on both devices, so that its part on the other device is hidden as well."""
    await two_devices(app)
    await add_account(app, role="editor", devices=[1])
    document = await app.get("/api/openapi.json")
    seen = set()
    async with signed_in(app, "ada") as ada:
        for path, methods in document["paths"].items():
            if "folder_id" not in path and "device_id" not in path:
                continue
            folder_id = 3 if "device_id" in path else 2
            url = path.format(folder_id=folder_id, device_id=2)
            for method in methods:
                [found] = await codes(ada, method.upper(), url)
                seen.add(found)
    assert seen == {
        (403, "role_missing"),
        (404, "folder_not_found"),
        (404, "device_not_found"),
    }


async def test_kernel_routes_about_server_need_admin(app: RunningApp) -> None:
    await add_account(app, role="editor")
    paths = ("/metrics", "/api/trends", "/api/system/audit", "/api/system/backups")
    async with signed_in(app, "ada") as ada:
        assert set(await codes(ada, "GET", *paths)) == {(403, "role_missing")}


async def test_every_route_needs_admin_unless_marked() -> None:
    """A new route that people without the role "admin" may use must be added here on purpose."""
    marked = {
        handler.handler_name: handler.opt.get("role", "public")
        for handler in ROUTES
        if isinstance(handler, HTTPRouteHandler)
        and (handler.opt.get("role") or handler.opt.get("public"))
    }
    assert {name for name, role in marked.items() if role == "editor"} == {
        "resolve_conflict",
        "resolve_all_conflicts",
        "restore_versions",
        "preview_restore",
        "rescan_folder",
        "undo_held_changes",
        "upload_file",
    }
    assert {name for name, role in marked.items() if role == "reader"} == {
        "change_password",
        "conflict_content",
        "drifted_files",
        "held_changes",
        "list_conflicts",
        "list_events",
        "list_files",
        "list_restores",
        "list_versions",
        "log_out",
        "missing_on_device",
        "missing_on_hub",
        "overview",
        "provider_logout",
        "read_file",
        "status",
        "zip_folder",
    }
