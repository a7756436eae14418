"""Accounts, cookies and folders on PostgreSQL."""

from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from quartet.downloads.app import SERVICE
from tests.client import client_of
from tests.downloads.api_calls import act, add, packages, until
from tests.downloads.first_user import first_user
from tests.downloads.plugins import (
    accounts,
    add_account,
    imitation,
    plugin_text,
    put_plugin,
    until_checked,
)

pytestmark = pytest.mark.anyio

PLUGIN = plugin_text("""
    folders = [r"https://demo\\.invalid/d/(?P<id>\\w+)"]
    account = AccountForm(secret_label=Text(de="Wort", en="Word"))

    async def check_account(self, ctx):
        await ctx.http.get(self.settings["base"] + "/login")
        return AccountState(True, premium=True, traffic_left=2**40, valid_until=2e9)

    async def crawl(self, link, ctx):
        files = [FileLink(f"https://demo.invalid/f/{each}", each, 5) for each in ("a", "b")]
        return Folder(files, name="Box")

    async def resolve(self, link, ctx):
        raise HosterLimit(seconds=600)
""")


async def login(request: web.Request) -> web.Response:
    answer = web.Response(text="welcome")
    answer.set_cookie("session", "1")
    return answer


async def test_accounts_cookies_and_folders_on_postgresql(
    postgres_url: str, tmp_path: Path
) -> None:
    reach: dict[str, Any] = {"database_url": postgres_url, "allow_private_addresses": True}
    async with imitation({"GET /login": login}) as base:
        put_plugin(tmp_path, PLUGIN, base=base)
        async with client_of(SERVICE, tmp_path, **reach) as ada:
            await ada.post("/api/auth/setup", json=first_user(tmp_path))
            id = await add_account(ada, "demo", "word")
            assert [each["status"] for each in await until_checked(ada)] == ["valid"]
            figures = (await ada.get("/api/stats")).json()
            assert figures["premium"][0]["trafficLeft"] == 2**40
            package = await add(ada, "https://demo.invalid/d/box")
            await until(ada, lambda all: len(all) == 2)
            assert [each["name"] for each in await packages(ada, "collector")] == ["Box"]
            await act(ada, f"/api/packages/{package}/start")
            await until(ada, lambda all: {each["retryAt"] is not None for each in all} == {True})
            await act(ada, f"/api/accounts/{id}", "PATCH", json={"secret": "other"})
            await until_checked(ada)
            await act(ada, f"/api/accounts/{id}", "DELETE")
            assert await accounts(ada) == []
