"""Announces the server on the LAN for agents that join without an address."""

import asyncio
import socket

from quartet.kernel.addresses import is_loopback_host
from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.protocol.limits import DISCOVERY_SERVICE
from quartet.sync.settings import SyncSettings

WILDCARDS = ("", "0.0.0.0", "::")  # noqa: S104


def announce_tasks(settings: SyncSettings) -> list[BackgroundTask]:
    """Return no task if LAN pairing is off or the server is not reachable from the LAN."""
    if not settings.lan_pairing or is_loopback_host(settings.host) or settings.port == 0:
        return []

    async def run() -> None:
        await announce(settings)

    return [BackgroundTask("announce", run, restart_on_return=True)]


async def announce(settings: SyncSettings) -> None:
    """Announce the server until cancelled."""
    # Imported here because most servers listen only on loopback.
    from zeroconf import InterfaceChoice
    from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

    host = socket.gethostname().split(".")[0]
    info = AsyncServiceInfo(
        DISCOVERY_SERVICE,
        f"Quartet on {host}.{DISCOVERY_SERVICE}",
        port=settings.port,
        properties={"url": settings.public_url} if settings.public_url else {},
        server=f"{host}.local.",
        parsed_addresses=_addresses(settings.host),
    )
    everywhere = settings.host in WILDCARDS
    responder = AsyncZeroconf(InterfaceChoice.All if everywhere else [settings.host])
    try:
        await (await responder.async_register_service(info, allow_name_change=True))
        await asyncio.Event().wait()
    finally:
        await responder.async_close()


def _addresses(host: str) -> list[str]:
    if host not in WILDCARDS:
        return [host]
    import ifaddr

    found = (address.ip for adapter in ifaddr.get_adapters() for address in adapter.ips)
    # IPv6 addresses are tuples here; IPv4 is enough on a LAN.
    return [ip for ip in found if isinstance(ip, str) and not is_loopback_host(ip)]
