"""Runs the plugin from docs/plugins.md."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from tests.client import Client
from tests.downloads.api_calls import act, add, packages, until
from tests.downloads.plugins import (
    add_account,
    imitation,
    put_plugin,
    put_settings,
    until_checked,
)

pytestmark = pytest.mark.anyio

PAGE = Path(__file__).parents[2] / "docs" / "plugins.md"
DATA = b"on the shelf" * 1000


async def login(request: web.Request) -> web.Response:
    form = await request.post()
    if form["password"] != "right":
        return web.Response(status=403)
    answer = web.json_response({"premium": True})
    answer.set_cookie("session", str(form["user"]))
    return answer


async def info(request: web.Request) -> web.Response:
    return web.json_response({"name": f"{request.match_info['id']}.bin", "size": len(DATA)})


async def folder(request: web.Request) -> web.Response:
    return web.json_response({"title": "Top shelf", "files": ["one", "two"]})


async def get(request: web.Request) -> web.Response:
    text = f'wait 0 seconds <a href="/data/{request.match_info["id"]}.bin">here</a>'
    return web.Response(text=text, content_type="text/html")


async def data(request: web.Request) -> web.Response:
    if request.cookies.get("session") != "ada":
        return web.Response(status=403)
    return web.Response(body=DATA, content_type="application/octet-stream")


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[None]:
    source, *_ = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    put_plugin(tmp_path, source, "shelf.py")
    routes = {
        "POST /login": login,
        "GET /api/file/{id}": info,
        "GET /api/folder/{id}": folder,
        "GET /get/{id}": get,
        "GET /data/{id}": data,
    }
    async with imitation(routes) as base:
        put_settings(tmp_path, shelf=base)
        yield


@pytest.mark.usefixtures("shelf")
async def test_documented_plugin_works(ada: Client, tmp_path: Path) -> None:
    await add_account(ada, "shelf", "right", user="ada")
    assert [each["premium"] for each in await until_checked(ada)] == [True]
    package = await add(ada, "https://shelf.example/folder/top")
    shown = await until(ada, lambda all: [each["online"] for each in all] == ["online"] * 2)
    assert [each["name"] for each in shown] == ["one.bin", "two.bin"]
    assert [each["name"] for each in await packages(ada, "collector")] == ["Top shelf"]
    await act(ada, f"/api/packages/{package}/start")
    shown = await until(ada, lambda all: {each["status"] for each in all} == {"finished"})
    assert [(tmp_path / "done" / each["file"]).read_bytes() for each in shown] == [DATA, DATA]


@pytest.mark.usefixtures("shelf")
async def test_documented_plugin_reports_wrong_account(ada: Client) -> None:
    await add_account(ada, "shelf", "wrong", user="ada")
    [account] = await until_checked(ada)
    assert (account["status"], account["error"]["code"]) == ("invalid", "plugin_account")
