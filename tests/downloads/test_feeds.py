"""RSS and Atom feeds whose entries become links."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from quartet.downloads.feeds.parse import read_feed
from quartet.kernel.errors import AppError
from tests.client import Client
from tests.downloads.api_calls import act, downloads, packages, until
from tests.downloads.plugins import imitation
from tests.downloads.test_rules import rule, save
from tests.downloads.torrents import make_torrent

pytestmark = pytest.mark.anyio

HEAD = '<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>{}</channel></rss>'
MAGNET = f"magnet:?xt=urn:btih:{'cd' * 20}&amp;dn=Film"


def item(title: str, url: str = "", size: int = 5) -> str:
    file = f'<enclosure url="{url}" length="{size}" type="x"/>' if url else ""
    return f"<item><title>{title}</title><guid>{title}</guid>{file}</item>"


class FeedServer:
    """A server with one feed and files, which answers conditional requests."""

    def __init__(self) -> None:
        self.items: list[str] = []
        self.files: dict[str, bytes] = {}
        self.version = 1
        self.status = 200
        self.conditions: list[str] = []
        self.base = ""

    async def feed(self, request: web.Request) -> web.Response:
        self.conditions.append(request.headers.get("If-None-Match", ""))
        tag = f'"{self.version}"'
        if self.status != 200:
            return web.Response(status=self.status)
        if self.conditions[-1] == tag:
            return web.Response(status=304)
        return web.Response(text=HEAD.format("".join(self.items)), headers={"ETag": tag})

    async def file(self, request: web.Request) -> web.Response:
        data = self.files.get(request.path)
        return web.Response(status=404) if data is None else web.Response(body=data)


@pytest.fixture
async def server() -> AsyncIterator[FeedServer]:
    server = FeedServer()
    routes = {"GET /feed": server.feed, "GET /{path:.*}": server.file}
    async with imitation(routes) as server.base:
        yield server


async def feed(client: Client) -> dict[str, Any]:
    [found] = (await client.get("/api/feeds")).json()
    return dict(found)


async def until_read(client: Client) -> dict[str, Any]:
    """Wait until the feed has been read."""
    async with asyncio.timeout(60):
        while (found := await feed(client))["checkedAt"] is None:
            await asyncio.sleep(0.02)
    return found


async def add_feed(client: Client, server: FeedServer, **fields: Any) -> dict[str, Any]:
    await act(client, "/api/feeds", json={"url": f"{server.base}/feed", **fields})
    return await until_read(client)


async def read_again(client: Client) -> dict[str, Any]:
    await act(client, f"/api/feeds/{(await feed(client))['id']}/check")
    return await until_read(client)


async def test_entries_are_taken_once_with_conditional_requests(
    ada: Client, server: FeedServer
) -> None:
    server.items = [item("one", f"{server.base}/1.bin"), item("film", MAGNET)]
    found = await add_feed(ada, server, onlyMatching=False)
    assert (found["name"], found["taken"], found["error"]) == ("News", 2, None)
    shown = {each["name"]: each["source"] for each in await packages(ada, "collector")}
    assert shown == {"one": "feed: News", "film": "feed: News"}
    await read_again(ada)
    assert server.conditions == ["", '"1"']
    # A changed feed brings only its new entries, even if an old one was deleted here.
    ids = {each["name"]: each["id"] for each in await packages(ada, "collector")}
    await act(ada, f"/api/packages/{ids['one']}", "DELETE")
    server.version = 2
    server.items.append(item("two", f"{server.base}/2.bin"))
    assert (await read_again(ada))["taken"] == 3
    assert {each["name"] for each in await packages(ada, "collector")} == {"film", "two"}


async def test_rules_choose_start_and_skip_entries(ada: Client, server: FeedServer) -> None:
    server.files["/a.bin"] = b"12345"
    await save(
        ada,
        rule({"name": "wanted", "source": "^feed: mine"}, start=True, folder="shows"),
        rule({"name": "unwanted"}, skip=True),
    )
    server.items = [
        item("unwanted", f"{server.base}/b.bin"),
        item("Wanted 1", f"{server.base}/a.bin"),
        item("other", f"{server.base}/c.bin"),
    ]
    assert (await add_feed(ada, server, name="Mine"))["taken"] == 1
    [shown] = await until(ada, lambda all: [each["status"] for each in all] == ["finished"])
    assert shown["file"] == "shows/a.bin"


async def test_rules_arrange_the_packages_of_entries(ada: Client, server: FeedServer) -> None:
    server.files["/a.zip"] = b"no archive"
    await save(ada, rule({"name": "wanted"}, start=True, extract=False, priority=1))
    server.items = [item("Wanted 1", f"{server.base}/a.zip")]
    await add_feed(ada, server)
    [shown] = await until(ada, lambda all: [each["status"] for each in all] == ["finished"])
    [package] = await packages(ada)
    assert (shown["priority"], package["extract"]) == (1, None)


async def test_torrent_file_of_entry_becomes_torrent(
    ada: Client, server: FeedServer, tmp_path: Any
) -> None:
    torrent = make_torrent(tmp_path / "seed", {"a.bin": 1000})
    server.items = [item("set", f"{server.base}/x.torrent?key=1")]
    # A file that does not exist yet is requested again.
    found = await add_feed(ada, server, onlyMatching=False)
    reason = {"code": "server_error", "inputs": {"status": 404}}
    assert found["error"] == {
        "code": "feed_entry_failed",
        "inputs": {"entry": "set", "reason": reason},
    }
    server.files["/x.torrent"] = torrent.metainfo
    found = await read_again(ada)
    assert (found["error"], found["taken"]) == (None, 1)
    [package] = await packages(ada, "collector")
    assert (package["infoHash"], package["name"]) == (torrent.info_hash, "set")


async def test_entry_that_cannot_be_added_does_not_stop_the_others(
    ada: Client, server: FeedServer
) -> None:
    gone = item("gone", f"{server.base}/gone.torrent")
    server.items = [item("new", f"{server.base}/2.bin"), gone, item("old", f"{server.base}/1.bin")]
    found = await add_feed(ada, server, onlyMatching=False)
    assert (found["taken"], found["error"]["inputs"]["entry"]) == (2, "gone")
    assert {each["name"] for each in await packages(ada, "collector")} == {"old", "new"}


async def test_new_rule_applies_to_entries_that_the_feed_still_has(
    ada: Client, server: FeedServer
) -> None:
    server.items = [item("Show 1", f"{server.base}/show.mkv"), item("Other", MAGNET)]
    assert (await add_feed(ada, server))["taken"] == 0
    # The type is that of the file, whose name is not the title.
    await save(ada, rule({"source": "^feed:", "types": ["video"]}))
    assert (await until_read(ada))["taken"] == 1
    assert [each["name"] for each in await packages(ada, "collector")] == ["Show 1"]


async def test_error_is_shown_until_the_feed_can_be_read(ada: Client, server: FeedServer) -> None:
    server.status = 500
    found = await add_feed(ada, server)
    assert found["error"] == {"code": "server_error", "inputs": {"status": 500}}
    server.status = 200
    assert (await read_again(ada))["error"] is None
    await act(ada, f"/api/feeds/{found['id']}", "PATCH", json={"enabled": False})
    asked = len(server.conditions)
    await act(ada, f"/api/feeds/{found['id']}/check")
    await act(ada, f"/api/feeds/{found['id']}", "DELETE")
    assert (await ada.get("/api/feeds")).json() == []
    assert len(server.conditions) == asked
    assert await downloads(ada) == []


async def test_address_is_stored_encrypted(ada: Client, server: FeedServer) -> None:
    await act(ada, "/api/feeds", json={"url": f"{server.base}/feed?passkey=geheim"})
    query = "SELECT url FROM feeds"
    db = ada.started.kernel.db
    assert "geheim" not in str(await db.read(lambda conn: conn.exec_driver_sql(query).scalar_one()))
    refused = await ada.post("/api/feeds", json={"url": "file:///etc/passwd"})
    assert refused.json()["code"] == "bad_address"


def test_atom_and_old_rss_are_read() -> None:
    atom = b"""<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><entry><id>1</id>
      <title type="html">A &amp; B</title><link href="/page"/>
      <link rel="enclosure" href="/a.mp3" length="7"/></entry>
      <entry><id>2</id><title>C</title><link rel="alternate" href="c.zip"/></entry></feed>"""
    found = read_feed("https://host.example/dir/feed", atom)
    assert [(each.title, each.links, each.size) for each in found.entries] == [
        ("A & B", ["https://host.example/a.mp3"], 7),
        ("C", ["https://host.example/dir/c.zip"], None),
    ]
    old = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
      xmlns="http://purl.org/rss/1.0/"><channel><title>Old</title></channel>
      <item><title>x</title><link>https://host.example/x.iso</link></item></rdf:RDF>"""
    assert read_feed("https://h.example/", old).entries[0].links == ["https://host.example/x.iso"]


@pytest.mark.parametrize(
    "body",
    [b"<html></html>", b"", b'<!DOCTYPE x [<!ENTITY a "b">]><rss>&a;</rss>', b"<p>", b"\xff\xfe"],
)
def test_broken_feed_is_refused(body: bytes) -> None:
    with pytest.raises(AppError, match="feed_invalid"):
        read_feed("https://h.example/", body)


def test_damaged_feed_names_the_place() -> None:
    with pytest.raises(AppError, match="feed_broken") as raised:
        read_feed("https://h.example/", b"<rss>\n<title>a</title></channel></rss>")
    assert raised.value.inputs == {"line": 2, "column": 19}
