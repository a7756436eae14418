"""Events say which downloads have changed, so that pages load only these."""

import asyncio
from contextlib import suppress
from typing import Any

import msgspec
import pytest

from quartet.downloads.events import MOST_IDS, Changed
from tests.client import Client
from tests.downloads.api_calls import SECONDS, add, downloads, packages, until_all
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio


def test_events_are_merged() -> None:
    one = Changed("downloads", downloads=[2, 1])
    other = Changed("downloads", packages=[5], downloads=[3])
    assert one.merged(other) == Changed("downloads", packages=[5], downloads=[1, 2, 3])
    assert one.merged(Changed("downloads")) == Changed("downloads")
    many = Changed("downloads", downloads=list(range(1, MOST_IDS + 1)))
    assert many.merged(Changed("downloads", downloads=[9999])) == Changed("downloads")


async def test_only_changed_downloads_are_returned(ada: Client) -> None:
    first = await add(ada, "http://host.invalid/a", "http://host.invalid/b")
    second = await add(ada, "http://host.invalid/c", start=True)
    one, _, other = await downloads_by_id(ada)
    [shown] = await packages(ada, "collector", downloads=f"{one},{other},999")
    assert [each["id"] for each in shown["downloads"]] == [one]
    assert shown["summary"]["downloads"] == 2
    [shown] = await packages(ada, "queue", ids=f"{first},{second}")
    assert (shown["id"], shown["downloads"]) == (second, [])
    bad = await ada.code("GET", "/api/packages", params={"ids": "1;2"})
    assert bad == (400, "invalid_request")


async def downloads_by_id(ada: Client) -> list[int]:
    return sorted(each["id"] for each in await downloads(ada))


class Page:
    """What a browser tab with the queue receives: events, and what it loads because of them."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.received = 0
        self.full_loads = 0

    async def follow(self, until: asyncio.Event) -> None:
        async with self.client.started.kernel.events.subscribe() as frames:
            while not until.is_set():
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.2):
                        frame = await anext(frames)
                        self.received += len(frame.sse)
                        if frame.type == "changed":
                            await self._load(msgspec.json.decode(frame.data))

    async def _load(self, event: dict[str, Any]) -> None:
        if event["topic"] != "downloads":
            return
        ids = {name: event.get(name, []) for name in ("packages", "downloads")}
        if not any(ids.values()):
            self.full_loads += 1
            return
        query = {
            "view": "queue",
            "ids": ",".join(map(str, ids["packages"])),
            "downloads": ",".join(map(str, ids["downloads"])),
        }
        headers = {"Accept-Encoding": "gzip"}
        async with self.client.stream("GET", "/api/packages", params=query, headers=headers) as got:
            self.received += sum([len(piece) async for piece in got.aiter_raw()])


async def test_page_with_many_rows_receives_little(ada: Client, server: FileServer) -> None:
    """Five files are downloaded while 4,000 others wait in the same package."""
    await ada.put("/api/settings", json={"maxParallel": 5, "autoExtract": False})
    paused = [f"http://host.invalid/waiting-{number}.bin" for number in range(4_000)]
    running = [server.put(f"{number}.bin", b"x" * 200_000) for number in range(5)]
    package = await add(ada, *running, *paused, packageName="Big")
    ids = await downloads_by_id(ada)
    page, ended = Page(ada), asyncio.Event()
    await ada.post(f"/api/packages/{package}/start", json={"downloadIds": ids[:5]})
    following = asyncio.create_task(page.follow(ended))
    await asyncio.sleep(0)
    async with asyncio.timeout(SECONDS):
        await until_all_of_queue(ada)
    ended.set()
    await following
    # All state changes of five downloads, regardless of how long they took.
    assert page.received < 50_000
    assert page.full_loads <= 1


async def until_all_of_queue(ada: Client) -> None:
    while {each["status"] for each in (await packages(ada))[0]["downloads"]} != {"finished"}:
        await asyncio.sleep(0.05)


async def test_responses_are_compressed(ada: Client) -> None:
    await add(ada, *(f"http://host.invalid/{number}" for number in range(50)))
    sizes = {}
    for encoding in ("identity", "gzip", "zstd", "gzip;q=0, zstd;q=0"):
        headers = {"Accept-Encoding": encoding}
        async with ada.stream("GET", "/api/packages", headers=headers) as answer:
            raw = b"".join([piece async for piece in answer.aiter_raw()])
        sizes[encoding] = len(raw)
        assert int(answer.headers["content-length"]) == len(raw)
        used = encoding if encoding in ("gzip", "zstd") else None
        assert answer.headers.get("content-encoding") == used
    assert sizes["gzip"] < sizes["identity"] / 5
    assert sizes["zstd"] < sizes["identity"] / 5
    assert sizes["gzip;q=0, zstd;q=0"] == sizes["identity"]


async def test_progress_has_remaining_time(ada: Client, server: FileServer) -> None:
    # A minute at this speed, so that a slow machine cannot finish before the first event.
    link = server.put("slow.bin", b"x" * 3_000_000)
    package = await add(ada, link)
    await ada.patch(f"/api/packages/{package}", json={"speedLimitKib": 50})
    async with ada.started.kernel.events.subscribe() as frames, asyncio.timeout(SECONDS):
        await ada.post(f"/api/packages/{package}/start")
        async for frame in frames:
            if frame.type == "progress":
                event = msgspec.json.decode(frame.data)
                if event["items"] and event["items"][0]["eta"] is not None:
                    break
    assert event["items"][0]["eta"] > 0
    assert event["eta"] == event["items"][0]["eta"]
    await ada.post("/api/downloads/pause-all")
    await until_all(ada, "paused")
