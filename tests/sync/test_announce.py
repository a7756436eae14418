"""LAN announcements, tested on loopback."""

import asyncio
from contextlib import suppress

import pytest
from zeroconf import ServiceListener, Zeroconf
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from quartet.sync.agents.pairing.announce import announce, announce_tasks
from quartet.sync.protocol.limits import DISCOVERY_SERVICE
from quartet.sync.settings import SyncSettings

pytestmark = pytest.mark.anyio


async def test_server_announces_its_address() -> None:
    settings = SyncSettings(host="127.0.0.1", port=8123, public_url="https://sync.example.org")
    task = asyncio.create_task(announce(settings))
    try:
        async with AsyncZeroconf(["127.0.0.1"]) as listener, asyncio.timeout(60):
            heard = asyncio.get_running_loop().create_future()
            await listener.async_add_service_listener(DISCOVERY_SERVICE, Listener(heard))
            info = AsyncServiceInfo(DISCOVERY_SERVICE, await heard)
            assert await info.async_request(listener.zeroconf, 3000)
            assert info.properties == {b"url": b"https://sync.example.org"}
            assert (info.port, info.parsed_addresses()) == (8123, ["127.0.0.1"])
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


class Listener(ServiceListener):
    def __init__(self, heard: asyncio.Future[str]) -> None:
        self._heard = heard

    def add_service(self, zc: Zeroconf, type_: str, name: str) -> None:
        # Other tests announce servers at the same time.
        if name.startswith("Quartet on ") and not self._heard.done():
            self._heard.set_result(name)

    def remove_service(self, zc: Zeroconf, type_: str, name: str) -> None: ...

    def update_service(self, zc: Zeroconf, type_: str, name: str) -> None: ...


async def test_no_announcement_if_unreachable_or_disabled() -> None:
    assert announce_tasks(SyncSettings()) == []
    assert announce_tasks(SyncSettings(host="0.0.0.0", lan_pairing=False)) == []
    assert [loop.name for loop in announce_tasks(SyncSettings(host="0.0.0.0"))] == ["announce"]
