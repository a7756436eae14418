"""Servers on the local network are discovered by their announcements."""

import socket

import pytest
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from quartet.sync.agent import joining
from quartet.sync.agent.discovery import discover
from quartet.sync.agent.errors import AgentError
from quartet.sync.protocol.limits import DISCOVERY_SERVICE

LOOPBACK = ["127.0.0.1"]


def announced(name: str, port: int, **told: str) -> AsyncServiceInfo:
    return AsyncServiceInfo(
        DISCOVERY_SERVICE,
        f"{name}.{DISCOVERY_SERVICE}",
        addresses=[socket.inet_aton("127.0.0.1")],
        port=port,
        properties=told,
        server=f"{name}.local.",
    )


@pytest.mark.anyio
async def test_discovery_returns_announced_url_or_address() -> None:
    async with AsyncZeroconf(interfaces=LOOPBACK) as network:
        told = announced("quartet-told", 8090, url="https://sync.example.org")
        found = announced("quartet-found", 8091)
        for each in (told, found):
            await (await network.async_register_service(each))
        # The first answer may reach only one of several programs on this machine; a repeated query
        # a second later reaches all of them.
        urls = await discover(LOOPBACK)
        await network.async_unregister_all_services()
    assert {"https://sync.example.org", "http://127.0.0.1:8091"} <= set(urls)


def test_join_needs_exactly_one_server_on_lan(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[str] = []

    async def heard() -> list[str]:
        return found

    monkeypatch.setattr(joining, "discover", heard)
    with pytest.raises(AgentError, match="--server"):
        joining.find_only_server()
    found.append("http://one")
    assert joining.find_only_server() == "http://one"
    found.append("http://two")
    with pytest.raises(AgentError, match="http://one, http://two"):
        joining.find_only_server()
