"""Who is told when a job is done."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.media.receivers import Receiver, receiver
from tests.media.workbench import SECONDS, Bench, bench_at

pytestmark = pytest.mark.anyio

TOKEN = "a-very-secret-token-1234"


async def save(bench: Bench, status: int = 200, **lists: Any) -> Any:
    return await bench.ask("PUT", "/api/notifications", status, json=lists)


async def told(one: Receiver, count: int) -> list[Any]:
    async with asyncio.timeout(SECONDS):
        while len(one.asked) < count:
            await asyncio.sleep(0.02)
    return one.asked


async def moved(bench: Bench) -> int:
    bench.file("Heat.1995.mkv")
    job = await bench.start(action="move")
    await bench.execute(job["jobId"])
    id: int = job["jobId"]
    return id


async def test_a_webhook_gets_what_happened(tmp_path: Path) -> None:
    async with bench_at(tmp_path, allow_private_addresses=True) as bench, receiver() as one:
        await save(bench, webhooks=[{"url": f"{one.url}/hook", "token": TOKEN}])
        id = await moved(bench)
        ((method, path, _, body),) = await told(one, 1)
        assert (method, path) == ("POST", "/hook")
        assert (body["event"], body["jobId"], body["done"]) == ("done", id, 1)
        assert body["files"][0]["source"].endswith("Heat.1995.mkv")
        assert one.headers[0]["Authorization"] == f"Bearer {TOKEN}"
        path = str(bench.file("zzz.mkv"))
        await bench.ask("POST", "/api/jobs", 202, json={"path": path})
        body = (await told(one, 2))[1][3]
        assert (body["event"], body["waiting"]) == ("inbox", 1)


async def test_media_servers_read_what_is_new(tmp_path: Path) -> None:
    async with (
        bench_at(tmp_path, allow_private_addresses=True) as bench,
        receiver() as jellyfin,
        receiver() as emby,
        receiver() as plex,
    ):
        maps = [f"{bench.films}:/theirs"]
        await save(
            bench,
            servers=[
                {"kind": "jellyfin", "url": jellyfin.url, "token": TOKEN},
                {"kind": "emby", "url": f"{emby.url}/emby/", "token": TOKEN},
                {"kind": "plex", "url": plex.url, "token": TOKEN, "pathMap": maps},
            ],
        )
        await moved(bench)
        (folder,) = bench.films.iterdir()
        ((_, path, _, body),) = await told(jellyfin, 1)
        assert path == "/Library/Media/Updated"
        assert [one["Path"] for one in body["Updates"]] == [str(folder)]
        assert jellyfin.headers[0]["Authorization"] == f'MediaBrowser Token="{TOKEN}"'
        ((_, path, _, _),) = await told(emby, 1)
        assert path == "/emby/Library/Media/Updated"
        assert emby.headers[0]["X-Emby-Token"] == TOKEN
        again = (await told(plex, 2))[1]
        assert again[1:3] == ("/library/sections/2/refresh", {"path": f"/theirs/{folder.name}"})


async def test_apprise(tmp_path: Path) -> None:
    async with bench_at(tmp_path, allow_private_addresses=True) as bench, receiver() as one:
        address = one.url.replace("http://", "json://") + f"/{TOKEN}"
        saved = await save(bench, notifications=[{"url": address, "name": "Me"}])
        assert TOKEN not in saved["notifications"][0]["url"]
        test = {"list": "notifications", "index": 0}
        path = "/api/notifications/test"
        assert await bench.ask("POST", path, json=test) == {"ok": True, "error": None}
        assert "test" in (await told(one, 1))[0][3]["title"]
        await moved(bench)
        assert "Heat" in (await told(one, 2))[1][3]["message"]
        one.status = 500
        failed = await bench.ask("POST", path, json=test)
        assert failed["error"]["code"] == "notification_failed"
        missing = await bench.client.code("POST", path, json={**test, "index": 5})
        assert missing == (404, "notification_not_found")


async def test_secrets_stay_and_are_not_shown(tmp_path: Path) -> None:
    async with bench_at(tmp_path, allow_private_addresses=True) as bench, receiver() as one:
        server = {"kind": "jellyfin", "url": one.url, "token": TOKEN}
        shown = await save(bench, servers=[server], notifications=[{"url": f"gotify://h/{TOKEN}"}])
        assert TOKEN not in str(shown)
        assert await save(bench, **shown) == shown == await bench.ask("GET", "/api/notifications")
        test = {"list": "servers", "index": 0}
        assert (await bench.ask("POST", "/api/notifications/test", json=test))["ok"]
        assert TOKEN in one.headers[0]["Authorization"]
        # A kept secret does not travel to another address.
        other = {**shown["servers"][0], "url": "http://127.0.0.1:1"}
        body = {"servers": [other]}
        got = await bench.client.code("PUT", "/api/notifications", json=body)
        assert got == (400, "secret_unknown")
        cleared = await save(bench, servers=[{**server, "token": "-"}])
        assert cleared["servers"][0]["token"] == ""
        one.status = 401
        failed = await bench.ask("POST", "/api/notifications/test", json=test)
        assert failed["error"]["code"] == "server_refused_token"


async def test_hostile_9_nobody_is_sent_inside(tmp_path: Path) -> None:
    async with bench_at(tmp_path) as bench, receiver() as one:
        await save(bench, webhooks=[{"url": one.url}], servers=[{"kind": "plex", "url": one.url}])
        for name in ("webhooks", "servers"):
            test = {"list": name, "index": 0}
            failed = await bench.ask("POST", "/api/notifications/test", json=test)
            assert not failed["ok"]
        assert one.asked == []
        for url, code in {
            one.url.replace("http://", "json://"): (403, "address_forbidden"),
            "jsons://[::1]/": (403, "address_forbidden"),
            "ntfy://0x7f.1/topic": (403, "address_forbidden"),
            "dbus://": (400, "notification_address_invalid"),
            "nonsense": (400, "notification_address_invalid"),
            "file:///etc/passwd": (400, "notification_address_invalid"),
        }.items():
            body = {"notifications": [{"url": url}]}
            assert await bench.client.code("PUT", "/api/notifications", json=body) == code, url
