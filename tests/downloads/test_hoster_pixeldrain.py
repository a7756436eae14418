"""Pixeldrain, tested with an imitation of its API."""

import hashlib
from base64 import b64encode
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from tests.client import Client
from tests.downloads.api_calls import act, add, downloads, packages, until, until_all
from tests.downloads.plugins import add_account, imitation, put_settings, until_checked

pytestmark = pytest.mark.anyio

DATA = b"pixels" * 5000
FILE = "https://pixeldrain.com/u/abcd1234"
KEY = "b5f1c2d3-key"
LOGIN = "Basic " + b64encode(f":{KEY}".encode()).decode()


class Pixeldrain:
    """The imitated hoster, whose responses can be changed."""

    availability = ""
    asked_with: str | None = None

    async def info(self, request: web.Request) -> web.Response:
        if request.match_info["id"] not in ("abcd1234", "efgh5678"):
            missing = {"success": False, "value": "not_found", "message": "The entity is gone."}
            return web.json_response(missing, status=404)
        return web.json_response(
            {
                "success": True,
                "id": request.match_info["id"],
                "name": f"{request.match_info['id']}.bin",
                "size": len(DATA),
                "hash_sha256": hashlib.sha256(DATA).hexdigest(),
                "availability": "" if self.logged_in(request) else self.availability,
            }
        )

    async def file(self, request: web.Request) -> web.Response:
        self.asked_with = request.headers.get("Authorization")
        return web.Response(body=DATA, content_type="application/octet-stream")

    async def list(self, request: web.Request) -> web.Response:
        files = [
            {"id": id, "name": f"{id}.bin", "size": len(DATA)} for id in ("abcd1234", "efgh5678")
        ]
        return web.json_response({"success": True, "title": "Holiday", "files": files})

    async def user(self, request: web.Request) -> web.Response:
        if not self.logged_in(request):
            refused = {"success": False, "value": "authentication_failed", "message": "no"}
            return web.json_response(refused, status=401)
        plan = {"id": "pro", "name": "Pro", "type": "patreon"}
        return web.json_response({"success": True, "username": "ada", "subscription": plan})

    def logged_in(self, request: web.Request) -> bool:
        return request.headers.get("Authorization") == LOGIN


@pytest.fixture
async def hoster(tmp_path: Path) -> AsyncIterator[Pixeldrain]:
    hoster = Pixeldrain()
    routes = {
        "GET /api/file/{id}/info": hoster.info,
        "GET /api/file/{id}": hoster.file,
        "GET /api/list/{id}": hoster.list,
        "GET /api/user": hoster.user,
    }
    async with imitation(routes) as base:
        put_settings(tmp_path, pixeldrain=base)
        yield hoster


async def test_file_is_checked_and_downloaded(
    ada: Client, tmp_path: Path, hoster: Pixeldrain
) -> None:
    package = await add(ada, FILE, "https://pixeldrain.com/u/gone0000")
    shown = await until(ada, lambda all: [each["online"] for each in all] == ["online", "offline"])
    assert (shown[0]["name"], shown[0]["size"]) == ("abcd1234.bin", len(DATA))
    await act(ada, f"/api/packages/{package}/start")
    shown = await until(ada, lambda all: all[0]["status"] == "finished")
    assert (tmp_path / "done" / shown[0]["file"]).read_bytes() == DATA
    assert shown[0]["hashOk"] is True
    assert hoster.asked_with is None


async def test_list_is_crawled(ada: Client, hoster: Pixeldrain) -> None:
    await add(ada, "https://pixeldrain.com/l/LiSt5678")
    shown = await until(ada, lambda all: len(all) == 2)
    assert [each["name"] for each in shown] == ["abcd1234.bin", "efgh5678.bin"]
    assert {each["pluginId"] for each in shown} == {"pixeldrain"}
    assert [each["name"] for each in await packages(ada, "collector")] == ["Holiday"]


async def test_account_lifts_limit_of_guests(ada: Client, hoster: Pixeldrain) -> None:
    hoster.availability = "file_rate_limited_captcha_required"
    await add(ada, FILE, start=True)
    [waiting] = await until(ada, lambda all: all[0]["retryAt"] is not None)
    assert waiting["error"]["code"] == "plugin_says"
    await add_account(ada, "pixeldrain", KEY)
    assert [each["premium"] for each in await until_checked(ada)] == [True]
    await until_all(ada, "finished")
    assert hoster.asked_with == LOGIN


async def test_blocked_file_fails(ada: Client, hoster: Pixeldrain) -> None:
    hoster.availability = "file_blocked"
    await add(ada, FILE, start=True)
    await until_all(ada, "failed")
    assert (await downloads(ada))[0]["error"]["inputs"]["en"] == "The file is blocked."


async def test_wrong_key_is_reported(ada: Client, hoster: Pixeldrain) -> None:
    await add_account(ada, "pixeldrain", "wrong")
    [account] = await until_checked(ada)
    assert (account["status"], account["error"]["inputs"]["en"]) == (
        "invalid",
        "The API key is not valid.",
    )
