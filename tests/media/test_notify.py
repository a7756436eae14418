"""Notifications about jobs."""

import asyncio
import hmac
from pathlib import Path
from typing import Any

import pytest

from tests.media.fake_servers import FakeServer, fake_server
from tests.media.job_harness import SECONDS, JobHarness, job_harness_at
from tests.push_service import push_service

pytestmark = pytest.mark.anyio

TOKEN = "a-very-secret-token-1234"


async def save(harness: JobHarness, status: int = 200, **lists: Any) -> Any:
    return await harness.ask("PUT", "/api/notifications", status, json=lists)


async def wait_for_requests(one: FakeServer, count: int) -> list[Any]:
    async with asyncio.timeout(SECONDS):
        while len(one.requests) < count:
            await asyncio.sleep(0.02)
    return one.requests


async def run_move_job(harness: JobHarness) -> int:
    harness.file("Heat.1995.mkv")
    job = await harness.start(action="move")
    await harness.execute(job["jobId"])
    id: int = job["jobId"]
    return id


async def test_webhook_receives_job_result(tmp_path: Path) -> None:
    async with (
        job_harness_at(tmp_path, allow_private_addresses=True) as harness,
        fake_server() as one,
    ):
        await save(harness, webhooks=[{"url": f"{one.url}/hook", "token": TOKEN}])
        id = await run_move_job(harness)
        ((method, path, _, body),) = await wait_for_requests(one, 1)
        assert (method, path) == ("POST", "/hook")
        assert (body["event"], body["jobId"], body["done"]) == ("done", id, 1)
        assert body["files"][0]["source"].endswith("Heat.1995.mkv")
        assert one.headers[0]["Authorization"] == f"Bearer {TOKEN}"
        path = str(harness.file("zzz.mkv"))
        await harness.ask("POST", "/api/jobs", 202, json={"path": path})
        body = (await wait_for_requests(one, 2))[1][3]
        assert (body["event"], body["waiting"]) == ("inbox", 1)


async def test_job_results_reach_subscribed_browsers(tmp_path: Path) -> None:
    async with (
        job_harness_at(tmp_path, allow_private_addresses=True) as harness,
        push_service() as service,
    ):
        phone = service.browser("phone")
        await harness.ask("POST", "/api/push/subscriptions", 204, json=phone.subscription())
        await run_move_job(harness)
        async with asyncio.timeout(SECONDS):
            while not phone.received:
                await asyncio.sleep(0.02)
        payload = phone.received[0].payload
        assert (payload["title"], payload["url"]) == ("Media", "/history")
        assert payload["body"].splitlines()[0] == "1 done, 0 failed."


async def test_media_servers_refresh_changed_folders(tmp_path: Path) -> None:
    async with (
        job_harness_at(tmp_path, allow_private_addresses=True) as harness,
        fake_server() as jellyfin,
        fake_server() as emby,
        fake_server() as plex,
        fake_server() as kodi,
    ):
        maps = [f"{harness.films}:/theirs"]
        await save(
            harness,
            servers=[
                {"kind": "jellyfin", "url": jellyfin.url, "token": TOKEN},
                {"kind": "emby", "url": f"{emby.url}/emby/", "token": TOKEN},
                {"kind": "plex", "url": plex.url, "token": TOKEN, "pathMap": maps},
                {"kind": "kodi", "url": kodi.url, "token": "me:secret"},
            ],
        )
        await run_move_job(harness)
        (folder,) = harness.films.iterdir()
        ((_, path, _, body),) = await wait_for_requests(jellyfin, 1)
        assert path == "/Library/Media/Updated"
        assert [one["Path"] for one in body["Updates"]] == [str(folder)]
        assert jellyfin.headers[0]["Authorization"] == f'MediaBrowser Token="{TOKEN}"'
        ((_, path, _, _),) = await wait_for_requests(emby, 1)
        assert path == "/emby/Library/Media/Updated"
        assert emby.headers[0]["X-Emby-Token"] == TOKEN
        ((_, path, _, body),) = await wait_for_requests(kodi, 1)
        assert (path, body["params"]) == ("/jsonrpc", {"directory": f"{folder}/"})
        assert kodi.headers[0]["Authorization"] == "Basic bWU6c2VjcmV0"
        again = (await wait_for_requests(plex, 2))[1]
        assert again[1:3] == ("/library/sections/2/refresh", {"path": f"/theirs/{folder.name}"})


async def test_apprise_notification(tmp_path: Path) -> None:
    async with (
        job_harness_at(tmp_path, allow_private_addresses=True) as harness,
        fake_server() as one,
    ):
        address = one.url.replace("http://", "json://") + f"/{TOKEN}"
        saved = await save(harness, notifications=[{"url": address, "name": "Me"}])
        assert TOKEN not in saved["notifications"][0]["url"]
        test = {"list": "notifications", "index": 0}
        path = "/api/notifications/test"
        assert await harness.ask("POST", path, json=test) == {"ok": True, "error": None}
        assert "test" in (await wait_for_requests(one, 1))[0][3]["title"]
        await run_move_job(harness)
        assert "Heat" in (await wait_for_requests(one, 2))[1][3]["message"]
        one.status = 500
        failed = await harness.ask("POST", path, json=test)
        assert failed["error"]["code"] == "notification_not_sent"
        missing = await harness.client.code("POST", path, json={**test, "index": 5})
        assert missing == (404, "notification_not_found")


async def test_secrets_are_kept_and_masked(tmp_path: Path) -> None:
    async with (
        job_harness_at(tmp_path, allow_private_addresses=True) as harness,
        fake_server() as one,
    ):
        server = {"kind": "jellyfin", "url": one.url, "token": TOKEN}
        shown = await save(
            harness, servers=[server], notifications=[{"url": f"gotify://h/{TOKEN}"}]
        )
        assert TOKEN not in str(shown)
        assert (
            await save(harness, **shown) == shown == await harness.ask("GET", "/api/notifications")
        )
        test = {"list": "servers", "index": 0}
        assert (await harness.ask("POST", "/api/notifications/test", json=test))["ok"]
        assert TOKEN in one.headers[0]["Authorization"]
        # A saved secret is not sent to another address.
        other = {**shown["servers"][0], "url": "http://127.0.0.1:1"}
        body = {"servers": [other]}
        got = await harness.client.code("PUT", "/api/notifications", json=body)
        assert got == (400, "secret_unknown")
        cleared = await save(harness, servers=[{**server, "token": "-"}])
        assert cleared["servers"][0]["token"] == ""
        one.status = 401
        failed = await harness.ask("POST", "/api/notifications/test", json=test)
        assert failed["error"]["code"] == "server_refused_token"


async def test_hostile_9_private_addresses_are_refused(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness, fake_server() as one:
        forbidden = (403, "notification_address_forbidden")
        for body in (
            {"webhooks": [{"url": one.url}]},
            {"servers": [{"kind": "plex", "url": one.url}]},
            {"webhooks": [{"url": "http://169.254.169.254/latest", "private": True}]},
        ):
            assert await harness.client.code("PUT", "/api/notifications", json=body) == forbidden
        assert one.requests == []
        for url, code in {
            one.url.replace("http://", "json://"): (403, "notification_address_forbidden"),
            "jsons://[::1]/": (403, "notification_address_forbidden"),
            "ntfy://0x7f.1/topic": (403, "notification_address_forbidden"),
            "dbus://": (400, "notification_address_invalid"),
            "nonsense": (400, "notification_address_invalid"),
            "file:///etc/passwd": (400, "notification_address_invalid"),
        }.items():
            body = {"notifications": [{"url": url}]}
            assert await harness.client.code("PUT", "/api/notifications", json=body) == code, url


async def test_one_private_address_is_allowed_for_one_recipient(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness, fake_server() as one:
        own = {"url": one.url, "private": True}
        message = {"url": one.url.replace("http://", "json://"), "private": True}
        server = {"kind": "jellyfin", **own}
        await save(harness, webhooks=[own], servers=[server], notifications=[message])
        for name in ("webhooks", "servers", "notifications"):
            test = {"list": name, "index": 0}
            assert (await harness.ask("POST", "/api/notifications/test", json=test))["ok"], name
        assert len(one.requests) == 3
        # Another recipient is not allowed to use the address.
        refused = await harness.client.code(
            "PUT", "/api/notifications", json={"webhooks": [own, {"url": one.url}]}
        )
        assert refused == (403, "notification_address_forbidden")


async def test_webhook_is_signed_and_lists_items(tmp_path: Path) -> None:
    key = "a-signing-key-of-the-user"
    async with (
        job_harness_at(tmp_path, allow_private_addresses=True) as harness,
        fake_server() as one,
    ):
        shown = await save(harness, webhooks=[{"url": one.url, "signingKey": key}])
        assert key not in str(shown)
        assert await save(harness, **shown) == shown
        await run_move_job(harness)
        ((_, _, _, body),) = await wait_for_requests(one, 1)
        wanted = hmac.new(key.encode(), one.bodies[0], "sha256").hexdigest()
        assert one.headers[0]["X-Quartet-Signature"] == f"sha256={wanted}"
        (item,) = body["items"]
        assert item["source"].endswith("Heat.1995.mkv")
        assert item["target"].startswith(str(harness.films))
        assert (body["state"], item["state"], item["error"]) == ("done", "done", None)
