"""The online check of collected links."""

from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from quartet.downloads.hosters import link_checker
from quartet.downloads.links.probe import probe_link
from quartet.downloads.links.types import LinkInfo
from quartet.downloads.request_headers import RequestHeaders
from tests.client import Client
from tests.downloads.api_calls import act, add, downloads, packages, until, until_all
from tests.downloads.conftest import logged_in
from tests.downloads.plugins import imitation
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio


async def test_name_size_and_state_are_filled_in(ada: Client, server: FileServer) -> None:
    await add(ada, server.put("x.bin", b"x" * 12_345), server.url("gone.bin"))
    shown = await until(ada, lambda all: [each["online"] for each in all] == ["online", "offline"])
    assert shown[0]["size"] == 12_345
    assert {each["status"] for each in shown} == {"collected"}
    # One byte was requested, not the whole file.
    assert server.requests == ["bytes=0-0 x.bin", "bytes=0-0 gone.bin"]


async def test_four_links_are_checked_at_a_time(ada: Client, server: FileServer) -> None:
    server.answering.clear()
    await add(ada, *(server.put(f"{number}.bin", b"x") for number in range(10)))
    while len(server.requests) < 4:
        await server.waiting.wait()
        server.waiting.clear()
    assert len(server.requests) == 4
    server.answering.set()
    await until(ada, lambda all: all[-1]["online"] == "online")
    assert len(server.requests) == 10


async def test_unreachable_links_stay_unknown_and_are_not_checked_again(
    ada: Client, server: FileServer
) -> None:
    server.refusals["x.bin"] = [403] * 9
    await add(ada, server.put("x.bin", b"x"), server.put("y.bin", b"y"), "ftp://host.invalid/z")
    shown = await until(ada, lambda all: all[0]["error"] and all[1]["online"] == "online")
    assert [each["online"] for each in shown] == ["unknown", "online", "unknown"]
    asked = len(server.requests)
    await add(ada, server.put("other.bin", b"x"))
    await until(ada, lambda all: all[-1]["online"] == "online")
    assert len(server.requests) == asked + 1


async def test_link_that_is_online_again_starts_with_its_package(
    ada: Client, server: FileServer
) -> None:
    package = await add(ada, server.put("a.bin", b"a"), server.url("b.bin"))
    await until(ada, lambda all: [each["online"] for each in all] == ["online", "offline"])
    await act(ada, f"/api/packages/{package}/start")
    await until(ada, lambda all: [each["status"] for each in all] == ["finished", "collected"])
    server.put("b.bin", b"b")
    await act(ada, f"/api/packages/{package}/check")
    shown = await until(ada, lambda all: {each["status"] for each in all} == {"finished"})
    assert shown[1]["file"] == f"{(await packages(ada))[0]['targetDir']}/b.bin"


async def test_package_can_be_checked_again(ada: Client, server: FileServer) -> None:
    package = await add(ada, server.url("late.bin"))
    await until(ada, lambda all: all[0]["online"] == "offline")
    server.put("late.bin", b"now")
    answer = await ada.post(f"/api/packages/{package}/check")
    assert answer.status_code == 202
    [found] = await until(ada, lambda all: all[0]["online"] == "online")
    assert (found["size"], found["status"]) == (3, "collected")
    assert (await downloads(ada))[0]["packageId"] == package


async def test_failing_check_does_not_stop_others(
    ada: Client, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def odd(outbound: Any, url: str, own: RequestHeaders) -> LinkInfo:
        if url.endswith("odd.bin"):
            raise RuntimeError("unexpected error")
        return await probe_link(outbound, url, own)

    monkeypatch.setattr(link_checker, "probe_link", odd)
    await add(ada, server.put("odd.bin", b"x"), server.put("y.bin", b"y"))
    shown = await until(ada, lambda all: all[1]["online"] == "online")
    assert shown[0]["online"] == "unknown"


async def test_web_page_is_not_a_file(ada: Client) -> None:
    async def page(_request: web.Request) -> web.StreamResponse:
        return web.Response(text="<title>Log in</title>", content_type="text/html")

    async with imitation({"GET /file": page, "GET /page.html": page}) as base:
        await add(ada, f"{base}/file", f"{base}/page.html", "http://127.0.0.1:1/closed.bin")
        shown = await until(ada, lambda all: all[2]["error"] is not None)
        # A check that says nothing about the file says why.
        assert (shown[2]["online"], shown[2]["error"]["code"]) == ("unknown", "unreachable")
        assert (shown[0]["online"], shown[0]["size"]) == ("offline", None)
        assert shown[0]["error"] == {"code": "web_page", "inputs": {"text": "Log in"}}
        await add(ada, f"{base}/file", start=True)
        [started] = await until_in_queue(ada, "failed")
        assert (started["attempts"], started["error"]["code"]) == (1, "web_page")


async def until_in_queue(ada: Client, status: str) -> list[dict[str, Any]]:
    def right(all: list[dict[str, Any]]) -> bool:
        return any(each["status"] == status for each in all)

    return [each for each in await until(ada, right) if each["status"] == status]


async def test_private_address_is_reported(server: FileServer, tmp_path: Path) -> None:
    settings = {"allow_private_addresses": False}
    async with logged_in(tmp_path / "one", **settings) as ada:
        await add(ada, server.put("x.bin", b"x"))
        [shown] = await until(ada, lambda all: all[0]["error"] is not None)
        assert shown["error"]["code"] == "address_forbidden"
    networks = ("127.0.0.0/8",)
    async with logged_in(tmp_path / "two", allowed_private_networks=networks, **settings) as ada:
        await add(ada, server.put("x.bin", b"x"), start=True)
        await until_all(ada, "finished")
