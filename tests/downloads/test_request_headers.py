"""Headers and cookies that clients give with links."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.client import Client
from tests.downloads.api_calls import act, add, packages, until, until_all
from tests.downloads.conftest import logged_in
from tests.downloads.plugins import imitation

pytestmark = pytest.mark.anyio

SECRET = "very-secret"
GIVEN = {
    "cookies": f"session={SECRET}; theme=dark",
    "headers": {"X-Ticket": SECRET, "Authorization": f"Bearer {SECRET}"},
    "referer": "https://page.example/list?q=1",
    "userAgent": "Own/1.0",
}


@asynccontextmanager
async def private_file(seen: list[dict[str, str]]) -> AsyncIterator[str]:
    """Serve a file only to requests with the session cookie."""

    async def file(request: web.Request) -> web.StreamResponse:
        seen.append(dict(request.headers))
        if request.cookies.get("session") != SECRET:
            return web.Response(status=403)
        return web.Response(body=b"private", content_type="application/octet-stream")

    async with imitation({"GET /x.bin": file}) as base:
        yield f"{base}/x.bin"


async def test_file_behind_a_login_is_checked_and_fetched(ada: Client, tmp_path: Path) -> None:
    seen: list[dict[str, str]] = []
    async with private_file(seen) as url:
        package = await add(ada, url, **GIVEN)
        [shown] = await until(ada, lambda all: all[0]["online"] != "unknown")
        assert (shown["online"], shown["size"]) == ("online", 7)
        await act(ada, f"/api/packages/{package}/start")
        await until_all(ada, "finished")
    for headers in seen:
        assert headers["Cookie"] == f"session={SECRET}; theme=dark"
        assert (headers["X-Ticket"], headers["Authorization"]) == (SECRET, f"Bearer {SECRET}")
        assert (headers["Referer"], headers["User-Agent"]) == (GIVEN["referer"], "Own/1.0")
    assert len(seen) >= 2
    assert [each.read_bytes() for each in (tmp_path / "done").rglob("x.bin")] == [b"private"]


async def test_secrets_survive_a_restart_and_are_never_shown(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    seen: list[dict[str, str]] = []
    async with private_file(seen) as url:
        async with logged_in(tmp_path) as client:
            await client.post("/api/downloads/pause-all")
            package = await add(client, url, **GIVEN)
            [download] = (await packages(client, "collector"))[0]["downloads"]
            details = await client.get(f"/api/downloads/{download['id']}")
            assert SECRET not in details.text
            assert SECRET not in (await client.get("/api/packages")).text
            stored = await client.started.kernel.db.read(
                lambda conn: conn.exec_driver_sql("SELECT request_headers FROM downloads").scalar()
            )
            assert str(stored).startswith("locked:")
        async with logged_in(tmp_path) as client:
            await act(client, f"/api/packages/{package}/start")
            await until_all(client, "finished")
    assert seen[-1]["X-Ticket"] == SECRET
    assert SECRET not in caplog.text


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_redirect_to_another_server_carries_no_secrets(ada: Client, host: str) -> None:
    first: list[dict[str, str]] = []
    second: list[dict[str, str]] = []

    async def file(request: web.Request) -> web.StreamResponse:
        second.append(dict(request.headers))
        return web.Response(body=b"public", content_type="application/octet-stream")

    async with imitation({"GET /y.bin": file}) as other:
        target = other.replace("127.0.0.1", host) + "/y.bin"

        async def redirect(request: web.Request) -> web.StreamResponse:
            first.append(dict(request.headers))
            raise web.HTTPFound(target)

        async with imitation({"GET /x.bin": redirect}) as base:
            package = await add(ada, f"{base}/x.bin", **GIVEN)
            await until(ada, lambda all: all[0]["online"] == "online")
            await act(ada, f"/api/packages/{package}/start")
            await until_all(ada, "finished")
    assert all(SECRET in each["Cookie"] for each in first)
    assert len(second) >= 2
    for headers in second:
        assert SECRET not in str(headers)
        assert "Cookie" not in headers
        assert "Referer" not in headers
        assert headers["User-Agent"] != "Own/1.0"


async def test_source_page_is_the_referer_unless_one_is_given(ada: Client) -> None:
    seen: dict[str, str] = {}

    async def file(request: web.Request) -> web.StreamResponse:
        seen[request.path] = request.headers.get("Referer", "")
        return web.Response(body=b"x", content_type="application/octet-stream")

    async with imitation({"GET /a": file, "GET /b": file}) as base:
        page = "https://user:pw@page.example/x?y=1#part"
        await add(ada, f"{base}/a", sourcePage=page, start=True)
        await add(ada, f"{base}/b", sourcePage=page, referer="https://other.example/", start=True)
        await until_all(ada, "finished")
    assert seen == {"/a": "https://page.example/x?y=1", "/b": "https://other.example/"}


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"headers": {"X-A": "1\r\nX-B: 2"}}, "header_invalid"),
        ({"headers": {"X A": "1"}}, "header_invalid"),
        ({"headers": {"X-A\n": "1\x00"}}, "header_invalid"),
        ({"headers": {"Host": "other"}}, "header_forbidden"),
        ({"headers": {"content-length": "1"}}, "header_forbidden"),
        ({"headers": {"Transfer-Encoding": "chunked"}}, "header_forbidden"),
        ({"headers": {"Connection": "close"}}, "header_forbidden"),
        ({"headers": {"Proxy-Authorization": "x"}}, "header_forbidden"),
        ({"headers": {"Range": "bytes=0-1"}}, "header_forbidden"),
        ({"cookies": {"a": "1\t2"}}, "cookie_invalid"),
        ({"cookies": {"a": "1; b=2"}}, "cookie_invalid"),
        ({"cookies": "a=1\n2"}, "cookie_invalid"),
        ({"referer": "https://x/\r\nX: 1"}, "header_invalid"),
        ({"userAgent": "x" * 20_000}, "headers_too_large"),
        ({"headers": {f"X-{number}": "1" for number in range(65)}}, "headers_too_large"),
    ],
)
async def test_unsafe_headers_are_rejected(ada: Client, given: dict[str, Any], code: str) -> None:
    answer = await ada.post("/api/links", json={"links": "http://host.invalid/x", **given})
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert await packages(ada, "collector") == []


async def test_secrets_for_several_hosts_are_rejected(ada: Client) -> None:
    links = "http://one.invalid/x http://two.invalid/y"
    answer = await ada.post("/api/links", json={"links": links, "cookies": "a=1"})
    assert (answer.status_code, answer.json()["code"]) == (400, "headers_of_several_hosts")
    await add(ada, links, referer="https://page.example/")
