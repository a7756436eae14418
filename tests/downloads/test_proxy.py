"""With a proxy, link checks, plugin pages and files all use it."""

import asyncio
from contextlib import AbstractContextManager

import pytest

from tests.client import Client
from tests.downloads.api_calls import act, add, until, until_all
from tests.downloads.server import CHUNK, FileServer
from tests.downloads.transfer.other_servers import Proxy, http_proxy, socks_proxy

pytestmark = pytest.mark.anyio

PROXIES = {"http": http_proxy, "socks5": socks_proxy, "socks5h": socks_proxy}


def started(scheme: str) -> AbstractContextManager[Proxy]:
    return PROXIES[scheme]()


async def go_through(client: Client, address: str | None) -> str | None:
    shown = await client.put("/api/settings", json={"proxy": address})
    proxy: str | None = shown.json()["proxy"]
    return proxy


@pytest.mark.parametrize("scheme", PROXIES)
async def test_check_and_download_use_the_proxy(
    ada: Client, server: FileServer, scheme: str
) -> None:
    with started(scheme) as proxy:
        await go_through(ada, f"{scheme}://127.0.0.1:{proxy.port}")
        package = await add(ada, server.put("x.bin", b"x" * 1000))
        await until(ada, lambda all: all[0]["online"] == "online")
        looked = len(proxy.asked)
        assert looked == len(server.requests) == 1
        await act(ada, f"/api/packages/{package}/start")
        await until(ada, lambda all: all[0]["status"] == "finished")
        assert len(proxy.asked) > looked

        await go_through(ada, None)
        asked = len(proxy.asked)
        await add(ada, server.put("y.bin", b"y"))
        await until(ada, lambda all: all[-1]["online"] == "online")
        assert len(proxy.asked) == asked


@pytest.mark.parametrize("scheme", ["socks5", "http"])
async def test_nothing_is_sent_without_the_proxy(
    ada: Client, server: FileServer, scheme: str
) -> None:
    await ada.put("/api/settings", json={"proxy": f"{scheme}://127.0.0.1:9", "maxRetries": 0})
    await add(ada, server.put("x.bin", b"x"), start=True)
    (shown,) = await until_all(ada, "failed")
    assert (shown["online"], server.requests) == ("unknown", [])
    assert shown["error"] == {"code": "network_error", "inputs": {"reason": "proxy"}}


async def test_running_download_changes_to_a_new_proxy(ada: Client, server: FileServer) -> None:
    server.open.clear()
    data = bytes(range(256)) * (CHUNK // 64)
    await add(ada, server.put("x.bin", data), start=True)
    await server.until_sent(2 * CHUNK)
    with http_proxy() as proxy:
        await go_through(ada, f"http://127.0.0.1:{proxy.port}")
        async with asyncio.timeout(60):
            while not proxy.asked:
                await asyncio.sleep(0.02)
        server.open.set()
        await until_all(ada, "finished")


async def test_proxy_password_is_hidden_and_kept(ada: Client, server: FileServer) -> None:
    with http_proxy() as proxy:
        address = f"http://ada:s3cret@127.0.0.1:{proxy.port}"
        shown = await go_through(ada, address)
        assert shown == f"http://ada:…@127.0.0.1:{proxy.port}"
        assert "s3cret" not in (await ada.get("/api/settings")).text
        assert await go_through(ada, shown) == shown
        await add(ada, server.put("x.bin", b"x"))
        await until(ada, lambda all: all[0]["online"] == "online")
        # The base64 of ada:s3cret.
        assert "Basic YWRhOnMzY3JldA==" in proxy.heads[0]


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        (" SOCKS5://host.invalid ", "socks5://host.invalid:1080"),
        ("http://host.invalid/", "http://host.invalid:1080"),
        ("https://host.invalid", "https://host.invalid"),
        ("socks5h://[::1]:9050", "socks5h://[::1]:9050"),
    ],
)
async def test_default_port_is_added(ada: Client, typed: str, kept: str) -> None:
    assert await go_through(ada, typed) == kept
