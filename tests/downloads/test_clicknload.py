"""Click'n'Load: links sent by web pages to port 9666, and the access rules."""

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest

from quartet.downloads.clicknload.guard import MOST_PER_MINUTE, ClickNLoadGuard
from quartet.downloads.demo.settings import demo_settings
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.errors import AppError
from tests.client import Client, client_at
from tests.downloads.api_calls import packages
from tests.downloads.clicknload import (
    KEY,
    LINKS,
    PAGE,
    collected,
    encrypted,
    jk,
    listening,
    until_listening,
)
from tests.downloads.conftest import logged_in
from tests.real_servers import free_port

pytestmark = pytest.mark.anyio

URLS = LINKS.split("\r\n")


async def test_pages_find_expected_responses(tmp_path: Path) -> None:
    async with listening(tmp_path) as (_ada, page):
        check = await page.get("/jdcheck.js", headers={"Origin": "https://links.example"})
        assert "jdownloader=true" in check.text
        assert "version" in check.text
        assert check.headers["access-control-allow-origin"] == "*"
        assert 'domain="*"' in (await page.get("/crossdomain.xml")).text
        for path in ("/flash", "/flash/"):
            assert (await page.get(path)).text == "JDownloader\r\n"


async def test_links_are_added_to_link_grabber(tmp_path: Path) -> None:
    async with listening(tmp_path) as (ada, page):
        form = {"urls": LINKS, "package": "Film", "source": PAGE, "passwords": "one\ntwo"}
        origin = {"Origin": "https://links.example"}
        answer = await page.post("/flash/add", data=form, headers=origin)
        assert (answer.status_code, answer.text) == (200, "success\r\n")
        assert await collected(ada) == [("Film", URLS)]
        [package] = await packages(ada, "collector")
    assert (package["source"], package["sourcePage"]) == ("cnl", PAGE)
    assert package["hasPasswords"]


async def test_package_without_name_is_named_after_page(tmp_path: Path) -> None:
    async with listening(tmp_path) as (ada, page):
        await page.post("/flash/add", data={"urls": URLS[0]}, headers={"Referer": PAGE})
        # Must not become a clickable link.
        await page.post("/flash/add", data={"urls": URLS[1], "source": "javascript:alert(1)"})
        first, second = await packages(ada, "collector")
    assert (first["name"], first["sourcePage"]) == ("Click'n'Load links.example", PAGE)
    assert (second["name"], second["sourcePage"]) == ("Click'n'Load", None)


SCRIPTS = [
    jk(),
    f"function f(){{return '{KEY.hex()[::-1]}'.split('').reverse().join('');}}",
    "function f(){ var k = ''; for (let i = 0; i < 16; i++) "
    "k += i.toString(16).padStart(2, '0'); return k; }",
]


async def test_encrypted_links_are_decrypted(tmp_path: Path) -> None:
    # Unescaped plus signs become spaces, and some pages wrap lines.
    text = encrypted(LINKS).replace("+", " ")
    crypted = f"{text[:20]}\r\n{text[20:]}"
    async with listening(tmp_path) as (ada, page):
        for script in SCRIPTS:
            form = {"crypted": crypted, "jk": script, "package": "Film"}
            answer = await page.post("/flash/addcrypted2", data=form)
            assert (answer.status_code, answer.text) == (200, "success\r\n")
        assert await collected(ada) == [("Film", URLS)] * len(SCRIPTS)


async def test_foreign_hosts_and_origins_are_rejected(tmp_path: Path) -> None:
    async with listening(tmp_path) as (ada, page):

        async def status(**headers: str) -> int:
            return (
                await page.post("/flash/add", data={"urls": LINKS}, headers=headers)
            ).status_code

        # DNS rebinding: a foreign name that resolves to this machine.
        for host in ("evil.example:9666", "127.0.0.1.evil.example", "192.168.0.5:9666", "", "["):
            assert await status(Host=host) in (400, 403), host
            check = await page.get("/jdcheck.js", headers={"Host": host})
            assert check.status_code in (400, 403), host
        assert await status(Origin="file://") == 403
        assert await status(Origin="gopher://x") == 403
        assert await status(Origin="[") == 403
        assert await collected(ada) == []
        # A hidden origin and the names of this machine are allowed.
        for headers in ({"Origin": "null"}, {"Host": "localhost:9666"}, {"Host": "[::1]:9666"}):
            assert await status(**headers) == 200


async def test_other_methods_change_nothing(tmp_path: Path) -> None:
    async with listening(tmp_path) as (ada, page):
        for method in ("GET", "PUT", "HEAD"):
            answer = await page.request(method, "/flash/add", params={"urls": LINKS})
            assert answer.status_code == 405
        assert (await page.get("/flash/other")).status_code == 404
        assert (await page.get("/api/packages")).status_code == 404
        assert await collected(ada) == []


def test_exposed_port_serves_only_allowed_clients() -> None:
    # A remote client can send any Host header.
    with pytest.raises(AppError, match="address_not_allowed"):
        ClickNLoadGuard().check("192.168.0.7", "127.0.0.1:9666", None)
    ClickNLoadGuard(["192.168.0.0/24"]).check("192.168.0.7", "127.0.0.1:9666", None)
    with pytest.raises(AppError, match="host_not_allowed"):
        ClickNLoadGuard(["192.168.0.0/24"]).check("192.168.0.7", "192.168.0.2:9666", None)
    ClickNLoadGuard(["192.168.0.0/24"], ["nas.lan"]).check("192.168.0.7", "nas.lan:9666", None)
    with pytest.raises(AppError, match="address_not_allowed"):
        ClickNLoadGuard().check(None, "127.0.0.1", None)


def test_page_cannot_flood_link_grabber() -> None:
    now = 0.0
    guard = ClickNLoadGuard(clock=lambda: now)
    for _ in range(MOST_PER_MINUTE):
        guard.count()
    with pytest.raises(AppError, match="too_many_requests"):
        guard.count()
    now = 61.0
    guard.count()


async def test_authenticated_api_accepts_the_same_forms(ada: Client) -> None:
    token = (await ada.post("/api/settings/api-token")).json()["token"]
    other = client_at(ada.started)
    crypted: dict[str, Any] = {"crypted": encrypted(LINKS), "jk": jk(), "package": "B"}
    assert await other.code("POST", "/api/cnl/flash/add", data={"urls": LINKS}) == (
        401,
        "signed_out",
    )
    other.headers["Authorization"] = f"Bearer {token}"
    answer = await other.post("/api/cnl/flash/add", data={"urls": LINKS, "package": "A"})
    assert answer.status_code == 200, answer.text
    answer = await other.post("/api/cnl/flash/addcrypted2", data=crypted)
    assert answer.status_code == 200, answer.text
    assert await collected(ada) == [("A", URLS), ("B", URLS)]
    assert await other.code("POST", "/api/cnl/flash/add", data={"urls": "no"}) == (400, "no_links")
    assert await other.code("POST", "/api/cnl/flash/add", data={}) == (400, "no_links")
    # A foreign page must not use the session of a signed-in user.
    foreign = {"Origin": "https://evil.example"}
    refused = await ada.code("POST", "/api/cnl/flash/add", data={"urls": LINKS}, headers=foreign)
    assert refused == (403, "unauthorized_origin")


async def test_port_in_use_is_shown_as_error(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        async with logged_in(tmp_path, cnl_port=port) as ada:

            async def state() -> dict[str, Any]:
                loops = (await ada.get("/api/system")).json()["loops"]
                [found] = [loop for loop in loops if loop["name"] == "click-n-load"]
                shown: dict[str, Any] = found
                return shown

            async with asyncio.timeout(60):
                while (await state())["error"] is None:
                    await asyncio.sleep(0.02)
            shown = await state()
            assert shown["error"] == {"code": "cnl_port_taken", "inputs": {"port": port}}
            other.close()
            ada.started.kernel.supervisor.run_now("click-n-load")
            await until_listening(port)


async def test_port_is_released_when_service_stops(tmp_path: Path) -> None:
    port = free_port()
    async with logged_in(tmp_path, cnl_port=port):
        await until_listening(port)
    with socket.create_server(("127.0.0.1", port)):
        pass


def test_demo_leaves_a_taken_port_to_the_other_program() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken: int = other.getsockname()[1]
        assert demo_settings(DownloadsSettings(cnl_port=taken)).cnl_port == 0
    free = free_port()
    assert demo_settings(DownloadsSettings(cnl_port=free)).cnl_port == free
