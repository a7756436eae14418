"""Folder links are replaced by the links of their files."""

from pathlib import Path

import pytest

from tests.client import Client
from tests.downloads.api_calls import act, add, packages, until, until_all
from tests.downloads.conftest import logged_in
from tests.downloads.plugins import plugin_text, put_plugin
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio

FOLDER = "https://demo.invalid/d/box"
FILES = """
    folders = [r"https://demo\\.invalid/d/(?P<id>\\w+)"]

    async def resolve(self, link, ctx):
        return File(self.settings["base"] + link.parts["id"], name=link.parts["id"] + ".bin")
"""
CRAWL = """
    async def crawl(self, link, ctx):
        address = "https://demo.invalid/f/"
        files = [FileLink(address + each, each + ".bin", 3) for each in ("a", "b", "a")]
        odd = [link.url, "javascript:1", "http://[", "a b", "https://demo.invalid/f/\\0"]
        return Folder([*files, *map(FileLink, odd)], name="My: \\0box")
"""


def put(data: Path, crawl: str = CRAWL, server: FileServer | None = None) -> None:
    base = server.url("") if server else ""
    if server:
        server.put("a", b"aaa")
        server.put("b", b"bbb")
    put_plugin(data, plugin_text(FILES, crawl), base=base)


async def test_folder_is_replaced_by_its_files(ada: Client, tmp_path: Path) -> None:
    put(tmp_path)
    await add(ada, "http://127.0.0.1:9/first.bin", FOLDER, "http://127.0.0.1:9/last.bin")
    shown = await until(ada, lambda all: len(all) == 4)
    assert [each["name"] for each in shown] == ["first.bin", "a.bin", "b.bin", "last.bin"]
    assert [each["pluginId"] for each in shown] == [None, "demo", "demo", None]
    assert {(each["online"], each["size"]) for each in shown[1:3]} == {("online", 3)}
    assert {each["status"] for each in shown} == {"collected"}


async def test_package_is_named_after_folder(ada: Client, tmp_path: Path) -> None:
    put(tmp_path)
    await add(ada, FOLDER)
    await until(ada, lambda all: len(all) == 2)
    [package] = await packages(ada, "collector")
    assert (package["name"], package["targetDir"]) == ("My: box", "My_ box")


@pytest.mark.parametrize("later", [False, True])
async def test_package_name_of_user_is_kept(ada: Client, tmp_path: Path, later: bool) -> None:
    put(tmp_path, "async def crawl(self, link, ctx): raise Fatal" if later else CRAWL)
    package = await add(ada, FOLDER, **({} if later else {"packageName": "Mine"}))
    if later:
        await until(ada, lambda all: all[0]["error"] is not None)
        await act(ada, f"/api/packages/{package}", "PATCH", json={"name": "Mine"})
        put(tmp_path)
        await ada.post("/api/plugins/reload")
        await act(ada, f"/api/packages/{package}/check")
    await until(ada, lambda all: len(all) == 2)
    assert [each["name"] for each in await packages(ada, "collector")] == ["Mine"]


async def test_files_of_folder_in_started_package_are_downloaded(
    ada: Client, tmp_path: Path, server: FileServer
) -> None:
    put(tmp_path, server=server)
    await add(ada, FOLDER, start=True)
    shown = await until(ada, lambda all: [each["status"] for each in all] == ["finished"] * 2)
    assert [each["name"] for each in shown] == ["a.bin", "b.bin"]


async def test_failed_crawl_keeps_link_with_error(
    ada: Client, tmp_path: Path, server: FileServer
) -> None:
    put(tmp_path, "async def crawl(self, link, ctx): return Folder([])")
    package = await add(ada, FOLDER)
    [kept] = await until(ada, lambda all: all[0]["status"] == "collected")
    assert (kept["url"], kept["error"]["code"]) == (FOLDER, "folder_empty")
    # Starting it tries again; a final error then fails it, and resuming tries once more.
    await act(ada, f"/api/packages/{package}/start")
    [failed] = await until_all(ada, "failed")
    assert failed["error"]["code"] == "folder_empty"
    put(tmp_path, server=server)
    await ada.post("/api/plugins/reload")
    await act(ada, f"/api/downloads/{failed['id']}/resume")
    shown = await until(ada, lambda all: [each["status"] for each in all] == ["finished"] * 2)
    assert kept["id"] not in {each["id"] for each in shown}


async def test_temporary_crawl_error_waits_in_queue(ada: Client, tmp_path: Path) -> None:
    put(tmp_path, "async def crawl(self, link, ctx): raise Temporary(seconds=700)")
    await add(ada, FOLDER, start=True)
    [waiting] = await until(ada, lambda all: all[0]["retryAt"] is not None)
    assert (waiting["status"], waiting["error"]["code"]) == ("queued", "plugin_temporary")


async def test_folder_deleted_while_crawling(ada: Client, tmp_path: Path) -> None:
    put(tmp_path, "async def crawl(self, link, ctx): await ctx.wait(500)")
    package = await add(ada, FOLDER)
    await until(ada, lambda all: all[0]["status"] == "crawling")
    await act(ada, f"/api/packages/{package}", "DELETE")
    await until(ada, lambda all: all == [])


async def test_crawl_continues_after_restart(tmp_path: Path) -> None:
    put(tmp_path, "async def crawl(self, link, ctx): await ctx.wait(500)")
    async with logged_in(tmp_path) as ada:
        await add(ada, FOLDER)
        await until(ada, lambda all: all[0]["status"] == "crawling")
    put(tmp_path)
    async with logged_in(tmp_path) as ada:
        shown = await until(ada, lambda all: len(all) == 2)
    assert [each["name"] for each in shown] == ["a.bin", "b.bin"]
