"""Hoster accounts: adding, checking and changing them, and protecting their secrets."""

import asyncio
from pathlib import Path

import pytest
from aiohttp import web

from quartet.downloads.app import SERVICE
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.backup import back_up, restore
from tests.client import Client
from tests.downloads.api_calls import act
from tests.downloads.conftest import logged_in
from tests.downloads.plugins import (
    accounts,
    add_account,
    imitation,
    plugin_text,
    put_plugin,
    put_settings,
    until_checked,
)

pytestmark = pytest.mark.anyio

SECRET = "tr0ub4dor-und-3"
PLUGIN = plugin_text("""
    account = AccountForm(
        secret_label=Text(de="Passwort", en="Password"), user_label=Text(de="Name", en="Name")
    )

    async def resolve(self, link, ctx):
        raise Fatal

    async def check_account(self, ctx):
        match ctx.account.user:
            case "ada": return AccountState(True, premium=True, traffic_left=500, valid_until=2e9)
            case "bob": return AccountState(True, premium=True, traffic_left=70, valid_until=3e9)
            case "carl": return AccountState(True, premium=False)
            case "eve": return AccountState(False, text=Text(de="Gesperrt", en="Locked"))
            case "mal": raise AccountProblem
            case "odd": raise ValueError(ctx.account.secret)
            case "liz": return AccountState(True, text=Text(de=ctx.account.secret, en="x"))
            case "slow": await ctx.wait(500)
            case "late":
                await ctx.http.get(self.settings["base"] + "/late")
                return AccountState(False)
        return 5
""")


@pytest.fixture(autouse=True)
def plugin(tmp_path: Path) -> None:
    put_plugin(tmp_path, PLUGIN)


async def test_new_account_is_checked(ada: Client) -> None:
    id = await add_account(ada, "demo", SECRET, user=" ada ")
    [account] = await until_checked(ada)
    assert account.pop("checkedAt") > 0
    assert account == {
        "id": id,
        "pluginId": "demo",
        "pluginName": "Demo",
        "host": "demo.invalid",
        "user": "ada",
        "enabled": True,
        "status": "valid",
        "premium": True,
        "trafficLeft": 500,
        "validUntil": 2_000_000_000_000,
        "error": None,
    }


async def test_invalid_accounts_show_reason(ada: Client) -> None:
    for user in ("eve", "mal", "odd", "none"):
        await add_account(ada, "demo", SECRET, user=user)
    shown = {each["user"]: each for each in await until_checked(ada)}
    assert {user: each["status"] for user, each in shown.items()} == {
        "eve": "invalid",
        "mal": "invalid",
        "odd": "error",
        "none": "error",
    }
    assert shown["eve"]["error"] == {
        "code": "plugin_says",
        "inputs": {"plugin": "Demo", "de": "Gesperrt", "en": "Locked"},
    }
    assert shown["mal"]["error"]["code"] == "plugin_account"


async def test_changed_credentials_are_checked_again(ada: Client) -> None:
    id = await add_account(ada, "demo", SECRET, user="eve")
    await until_checked(ada)
    await act(ada, f"/api/accounts/{id}", "PATCH", json={"enabled": False})
    assert [each["status"] for each in await accounts(ada)] == ["invalid"]
    await act(ada, f"/api/accounts/{id}", "PATCH", json={"user": "ada", "enabled": True})
    [account] = await until_checked(ada)
    assert (account["status"], account["error"], account["enabled"]) == ("valid", None, True)
    await act(ada, f"/api/accounts/{id}", "PATCH", json={"secret": "other"})
    await until_checked(ada)
    await act(ada, f"/api/accounts/{id}/check")
    [account] = await until_checked(ada)
    assert account["status"] == "valid"
    await act(ada, f"/api/accounts/{id}", "DELETE")
    assert await accounts(ada) == []


async def test_result_for_previous_user_is_ignored(ada: Client, tmp_path: Path) -> None:
    asked, go_on = asyncio.Event(), asyncio.Event()

    async def late(request: web.Request) -> web.Response:
        asked.set()
        await go_on.wait()
        return web.Response()

    async with imitation({"GET /late": late}) as base:
        put_settings(tmp_path, demo=base)
        await ada.post("/api/plugins/reload")
        id = await add_account(ada, "demo", SECRET, user="late")
        await asyncio.wait_for(asked.wait(), 60)
        await act(ada, f"/api/accounts/{id}", "PATCH", json={"user": "ada"})
        go_on.set()
        assert [each["status"] for each in await until_checked(ada)] == ["valid"]


async def test_stats_contain_premium_traffic(ada: Client) -> None:
    for user in ("ada", "bob", "carl", "eve"):
        await add_account(ada, "demo", SECRET, user=user)
    await until_checked(ada)
    figures = (await ada.get("/api/stats")).json()
    assert figures["premium"] == [
        {"pluginId": "demo", "trafficLeft": 570, "validUntil": 3_000_000_000_000}
    ]


REFUSED: list[tuple[object, str]] = [
    ({"pluginId": "nobody", "secret": "x"}, "plugin_without_accounts"),
    ({"pluginId": "demo", "secret": "  "}, "secret_missing"),
    ({"pluginId": "demo", "secret": 5}, "invalid_request"),
    ({"pluginId": "demo"}, "invalid_request"),
    ({"pluginId": "demo", "secret": "x" * 30_000}, "invalid_request"),
]


async def test_invalid_account_is_rejected(ada: Client) -> None:
    for body, code in REFUSED:
        assert await ada.code("POST", "/api/accounts", json=body) == (400, code)
    assert await accounts(ada) == []


async def test_unknown_account_is_not_found(ada: Client) -> None:
    for id in ("77", "-1", "9" * 31):
        path = f"/api/accounts/{id}"
        assert await ada.code("PATCH", path, json={"enabled": False}) == (404, "not_found")
        assert await ada.code("DELETE", path) == (404, "not_found")
        assert await ada.code("POST", f"{path}/check") == (404, "not_found")


async def test_account_of_missing_plugin_is_kept(ada: Client, tmp_path: Path) -> None:
    id = await add_account(ada, "demo", SECRET, user="ada")
    await until_checked(ada)
    (tmp_path / "plugins" / "demo.py").unlink()
    await ada.post("/api/plugins/reload")
    assert [each["pluginName"] for each in await accounts(ada)] == [None]
    await act(ada, f"/api/accounts/{id}", "DELETE")


async def test_account_check_continues_after_restart(tmp_path: Path) -> None:
    async with logged_in(tmp_path) as ada:
        await add_account(ada, "demo", SECRET, user="slow")
        assert [each["status"] for each in await accounts(ada)] == ["checking"]
    put_plugin(tmp_path, PLUGIN.replace("await ctx.wait(500)", "return AccountState(True)"))
    async with logged_in(tmp_path) as ada:
        assert [each["status"] for each in await until_checked(ada)] == ["valid"]


async def test_account_secret_is_never_readable(
    ada: Client, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    for user in ("ada", "odd", "liz"):
        await add_account(ada, "demo", SECRET, user=user)
    await until_checked(ada)
    for answer in ("accounts", "plugins", "stats", "settings"):
        assert SECRET not in (await ada.get(f"/api/{answer}")).text
    assert SECRET not in caplog.text
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.suffix == ".sqlite3" for path in files)
    for path in files:
        assert SECRET.encode() not in path.read_bytes(), path


async def test_backup_contains_key_of_account_secrets(tmp_path: Path) -> None:
    async with logged_in(tmp_path / "old") as ada:
        put_plugin(tmp_path / "old", PLUGIN)
        await add_account(ada, "demo", SECRET, user="ada")
        await until_checked(ada)
    copy = tmp_path / "copy.tar.gz"
    back_up(SERVICE, DownloadsSettings(data=tmp_path / "old"), copy)
    restore(SERVICE, DownloadsSettings(data=tmp_path / "new"), copy)
    async with logged_in(tmp_path / "new") as ada:
        [account] = await accounts(ada)
        await act(ada, f"/api/accounts/{account['id']}/check")
        assert [each["status"] for each in await until_checked(ada)] == ["valid"]


async def test_account_reports_unreadable_secret_after_key_change(tmp_path: Path) -> None:
    async with logged_in(tmp_path) as ada:
        id = await add_account(ada, "demo", SECRET, user="ada")
        await until_checked(ada)
    (tmp_path / "keys" / "secrets.key").unlink()
    async with logged_in(tmp_path) as ada:
        await act(ada, f"/api/accounts/{id}/check")
        [account] = await until_checked(ada)
        assert (account["status"], account["error"]["code"]) == ("error", "secret_unreadable")
        await act(ada, f"/api/accounts/{id}", "PATCH", json={"secret": SECRET})
        assert [each["status"] for each in await until_checked(ada)] == ["valid"]
