"""Several accounts with roles, each of which sees the folders of its devices."""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from litestar.handlers import HTTPRouteHandler
from sqlalchemy import text
from websockets.asyncio.client import ClientConnection, connect

from quartet.kernel.auth import Passwords
from quartet.sync.accounts.types import NewAccount
from quartet.sync.app import ROUTES
from quartet.sync.login.service import Login
from tests.client import NO_AUTHORITIES
from tests.sync.processes import quartet
from tests.sync.running_app import PASSWORD, RunningApp, until

pytestmark = pytest.mark.anyio

SECRET = "ada has a password"


@asynccontextmanager
async def signed_in(app: RunningApp, name: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=app.url, verify=NO_AUTHORITIES, timeout=30) as person:
        body = {"account": name, "password": SECRET}
        answer = await person.post("/api/login", json=body)
        assert answer.status_code == 200, answer.text
        person.headers["x-csrf-token"] = answer.json()["csrfToken"]
        yield person


async def add_account(app: RunningApp, name: str = "ada", **fields: Any) -> None:
    await app.post("/api/accounts", {"name": name, "password": SECRET, **fields})


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


async def test_first_admin_signs_in_with_password_alone(app: RunningApp) -> None:
    state = await app.get("/api/session")
    assert (state["account"], state["role"]) == ("admin", "admin")
    await add_account(app)
    async with httpx.AsyncClient(base_url=app.url, verify=NO_AUTHORITIES) as browser:
        assert (await browser.get("/api/session")).json()["hasAccounts"]
        for body in ({"password": PASSWORD}, {"password": PASSWORD, "account": "admin"}):
            assert (await browser.post("/api/login", json=body)).status_code == 200


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


async def test_account_rules(app: RunningApp) -> None:
    await add_account(app)
    new = {"name": "ada", "password": SECRET}
    assert await app.refused("POST", "/api/accounts", json=new) == (409, "account_taken")
    admin = {**new, "name": "admin"}
    assert await app.refused("POST", "/api/accounts", json=admin) == (409, "account_taken")
    odd = {**new, "name": "Ada L"}
    assert (await app.refused("POST", "/api/accounts", json=odd))[0] == 400
    short = {**new, "name": "bob", "password": "short"}
    assert (await app.refused("POST", "/api/accounts", json=short))[1] == "password_too_short"
    unknown = await app.refused("PATCH", "/api/accounts/eve", json={"role": "reader"})
    assert unknown == (404, "account_not_found")
    async with httpx.AsyncClient(base_url=app.url, verify=NO_AUTHORITIES) as browser:
        for body in ({"account": "ada", "password": PASSWORD}, {"account": "x", "password": "y"}):
            answer = await browser.post("/api/login", json=body)
            assert (answer.status_code, answer.json()["code"]) == (401, "wrong_password")


async def test_person_changes_own_password(app: RunningApp) -> None:
    await add_account(app)
    async with signed_in(app, "ada") as ada, signed_in(app, "ada") as phone:
        body = {"current": "wrong", "password": "a new password"}
        answer = await ada.put("/api/password", json=body)
        assert (answer.status_code, answer.json()["code"]) == (403, "wrong_current_password")
        answer = await ada.put("/api/password", json={**body, "current": SECRET})
        assert answer.status_code == 204
        assert (await ada.get("/api/overview")).status_code == 200
        assert (await phone.get("/api/overview")).status_code == 401
    first = await app.refused("PUT", "/api/password", json={**body, "current": PASSWORD})
    assert first == (409, "first_admin_password")


async def invite(app: RunningApp, name: str = "ada") -> str:
    token: str = (await app.post(f"/api/accounts/{name}/invitation"))["token"]
    return token


async def test_admin_who_loses_the_role_is_signed_out(app: RunningApp) -> None:
    """Otherwise the browsers would keep getting messages about all folders."""
    await add_account(app, "boss", role="admin")
    async with signed_in(app, "boss") as boss:
        await app.admin.patch("/api/accounts/boss", json={"role": "admin", "devices": []})
        assert (await boss.get("/api/overview")).status_code == 200
        await app.admin.patch("/api/accounts/boss", json={"role": "editor"})
        assert (await boss.get("/api/overview")).status_code == 401
    async with signed_in(app, "boss") as boss:
        await app.admin.patch("/api/accounts/boss", json={"role": "reader"})
        assert (await boss.get("/api/overview")).status_code == 200


async def test_own_account_does_not_help_to_guess_another_password(app: RunningApp) -> None:
    await add_account(app)
    async with httpx.AsyncClient(base_url=app.url, verify=NO_AUTHORITIES) as eve:
        statuses = []
        for number in range(12):
            mine = {"account": "ada", "password": SECRET}
            guess = {"account": "admin", "password": f"wrong {number}"}
            statuses.append((await eve.post("/api/login", json=guess)).status_code)
            await eve.post("/api/login", json=mine)
    assert statuses == [401] * 10 + [429] * 2


async def test_sign_in_that_a_new_password_overtakes_is_refused(
    app: RunningApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its session would outlive the change, which ends all sessions."""
    await add_account(app)
    verify = Passwords.verify

    async def then_changed(passwords: Passwords, stored: str | None, given: str) -> bool:
        right = await verify(passwords, stored, given)
        command = Login(app.started.kernel.db)
        command.accounts.add_now(NewAccount("ada", "battery staple"))
        command.set_password("battery staple")
        return right

    monkeypatch.setattr(Passwords, "verify", then_changed)
    async with httpx.AsyncClient(base_url=app.url, verify=NO_AUTHORITIES) as eve:
        for body in ({"account": "ada", "password": SECRET}, {"password": PASSWORD}):
            answer = await eve.post("/api/login", json=body)
            assert (answer.status_code, answer.json()["code"]) == (401, "wrong_password")


async def test_guessing_the_current_password_is_stopped(app: RunningApp) -> None:
    await add_account(app)
    async with signed_in(app, "ada") as ada:
        body = {"current": "wrong", "password": "a new password"}
        answers = [await ada.put("/api/password", json=body) for _ in range(11)]
        assert answers[0].status_code == 403
        last = answers[-1]
        assert (last.status_code, last.json()["code"]) == (429, "too_many_attempts")
    entries = (await app.get("/api/system/audit"))["entries"]
    failed = {each["code"] for each in entries if each["event"] == "login_failed"}
    assert failed == {"wrong_current_password"}


async def test_invited_person_sets_password_once(app: RunningApp) -> None:
    await app.post("/api/accounts", {"name": "ada", "role": "editor"})
    [shown] = await app.get("/api/accounts")
    assert (shown["hasPassword"], shown["invitedUntil"]) == (False, None)
    token = await invite(app)
    [shown] = await app.get("/api/accounts")
    assert shown["invitedUntil"] > time.time()
    async with httpx.AsyncClient(base_url=app.url, verify=NO_AUTHORITIES) as ada:
        for guess in ("", "-", "nobody", SECRET):
            answer = await ada.post("/api/login", json={"account": "ada", "password": guess})
            assert answer.status_code == 401
        seen = (await ada.post("/api/invitations/look", json={"token": token})).json()
        assert (seen["name"], seen["role"]) == ("ada", "editor")
        body = {"token": token, "password": "short"}
        answer = await ada.post("/api/invitations/accept", json=body)
        assert answer.json()["code"] == "password_too_short"
        accepted = {"token": token, "password": SECRET}
        answer = await ada.post("/api/invitations/accept", json=accepted)
        assert answer.status_code == 204
        # The person is signed in.
        assert (await ada.get("/api/session")).json()["account"] == "ada"
        again = await ada.post("/api/invitations/accept", json=accepted)
        assert (again.status_code, again.json()["code"]) == (404, "invitation_not_found")
    async with signed_in(app, "ada"):
        [shown] = await app.get("/api/accounts")
        assert (shown["hasPassword"], shown["invitedUntil"]) == (True, None)


async def test_invitation_ends_by_expiry_replacement_and_removal(
    app: RunningApp,
) -> None:
    async def look(token: str) -> tuple[int, str]:
        return await app.refused("POST", "/api/invitations/look", json={"token": token})

    await add_account(app)
    replaced, token = await invite(app), await invite(app)
    assert await look(replaced) == (404, "invitation_not_found")
    expire = text("UPDATE account_invitations SET expires_at = 1")
    await app.started.kernel.db.write(lambda tx: tx.conn.execute(expire))
    assert await look(token) == (410, "invitation_expired")
    # A password that an admin sets ends it as well.
    await app.admin.patch("/api/accounts/ada", json={"password": "another password"})
    assert await look(token) == (404, "invitation_not_found")
    token = await invite(app)
    await app.admin.delete("/api/accounts/ada")
    assert await look(token) == (404, "invitation_not_found")
    missing = await app.refused("POST", "/api/accounts/admin/invitation")
    assert missing == (404, "account_not_found")


async def test_invitation_ends_older_sessions(app: RunningApp) -> None:
    await add_account(app)
    token = await invite(app)
    async with signed_in(app, "ada") as ada:
        body = {"token": token, "password": "a new password"}
        async with httpx.AsyncClient(base_url=app.url, verify=NO_AUTHORITIES) as other:
            assert (await other.post("/api/invitations/accept", json=body)).status_code == 204
        assert (await ada.get("/api/overview")).status_code == 401


async def test_audit_log_names_account(app: RunningApp) -> None:
    await add_account(app, role="admin")
    async with signed_in(app, "ada") as ada:
        await ada.post("/api/accounts", json={"name": "bob", "password": SECRET})
        body = {"token": await invite(app), "password": SECRET}
        await ada.post("/api/invitations/accept", json=body)

    async def entries() -> set[tuple[str, str]]:
        found = (await app.get("/api/system/audit"))["entries"]
        return {(each["event"], each["user"]) for each in found}

    async def complete() -> bool:
        wanted = {
            ("account_created", "admin"),
            ("signed_in", "ada"),
            ("account_created", "ada"),
            ("invite_created", "admin"),
            ("password_changed", "ada"),
        }
        return wanted <= await entries()

    await until(complete)


async def test_command_line_adds_and_changes_accounts(app: RunningApp) -> None:
    accounts = Login(app.started.kernel.db).accounts
    await asyncio.to_thread(accounts.add_now, NewAccount("ada", SECRET, "editor"))
    async with signed_in(app, "ada") as ada:
        assert (await ada.get("/api/session")).json()["role"] == "editor"
        await asyncio.to_thread(accounts.add_now, NewAccount("ada", SECRET, "reader"))

        async def signed_out() -> bool:
            return (await ada.get("/api/overview")).status_code == 401

        await until(signed_out)
    [shown] = await app.get("/api/accounts")
    assert (shown["name"], shown["role"]) == ("ada", "reader")


def test_set_account_command_stores_account(tmp_path: Path) -> None:
    arguments = ("--role", "editor", "--data", str(tmp_path / "data"))
    quartet("sync", "set-account", "ada", *arguments, cwd=tmp_path, stdin=SECRET + "\n")
    with closing(sqlite3.connect(tmp_path / "data/sync/sync.sqlite3")) as conn:
        assert conn.execute("SELECT name, role FROM accounts").fetchall() == [("ada", "editor")]
