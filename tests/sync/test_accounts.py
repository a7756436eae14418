"""Several accounts with roles, their sign-in and their passwords."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from quartet.kernel.auth import Passwords
from quartet.sync.accounts.types import NewAccount
from quartet.sync.login.service import Login
from tests.client import NO_AUTHORITIES
from tests.sync.accounts import SECRET, add_account, invite, signed_in
from tests.sync.processes import quartet
from tests.sync.running_app import PASSWORD, RunningApp, until

pytestmark = pytest.mark.anyio


async def test_first_admin_signs_in_with_password_alone(app: RunningApp) -> None:
    state = await app.get("/api/session")
    assert (state["account"], state["role"]) == ("admin", "admin")
    await add_account(app)
    async with httpx.AsyncClient(base_url=app.url, verify=NO_AUTHORITIES) as browser:
        assert (await browser.get("/api/session")).json()["hasAccounts"]
        for body in ({"password": PASSWORD}, {"password": PASSWORD, "account": "admin"}):
            assert (await browser.post("/api/login", json=body)).status_code == 200


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
