"""Finds control servers that announce themselves on the local network."""

import asyncio
from collections.abc import Sequence

from zeroconf import InterfaceChoice, ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from quartet.sync.protocol.limits import DISCOVERY_SECONDS, DISCOVERY_SERVICE

ANSWER_MILLISECONDS = 1500


async def discover(interfaces: InterfaceChoice | Sequence[str] = InterfaceChoice.All) -> list[str]:
    """Return the URLs of all servers that answer within a few seconds."""
    names: set[str] = set()

    def on_change(
        zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange
    ) -> None:
        if state_change is not ServiceStateChange.Removed:
            names.add(name)

    async with AsyncZeroconf(interfaces=interfaces) as zeroconf:
        browser = AsyncServiceBrowser(zeroconf.zeroconf, DISCOVERY_SERVICE, handlers=[on_change])
        await asyncio.sleep(DISCOVERY_SECONDS)
        await browser.async_cancel()
        found = [await _url(zeroconf, name) for name in sorted(names)]
    return list(dict.fromkeys(url for url in found if url))


async def _url(zeroconf: AsyncZeroconf, name: str) -> str | None:
    info = AsyncServiceInfo(DISCOVERY_SERVICE, name)
    if not await info.async_request(zeroconf.zeroconf, ANSWER_MILLISECONDS):
        return None
    url = info.properties.get(b"url")
    if url:
        return url.decode(errors="replace")
    addresses = info.parsed_addresses()
    if not addresses:
        return None
    host = f"[{addresses[0]}]" if ":" in addresses[0] else addresses[0]
    return f"http://{host}:{info.port}"
