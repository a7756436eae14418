"""Dials peers again soon after a connection was lost."""

import asyncio
import itertools
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from quartet.kernel.errors import AppError
from quartet.sync.engine.rest import Rest

# Delays before the attempts; afterwards the engine dials on its own.
TRY_SECONDS = (0.3, 0.3, 1.0, 2.0, 4.0, 8.0, 16.0)
# How many times, and how long, to wait for the result of an attempt.
DIAL_POLLS = 20
POLL_SECONDS = 0.1
DYNAMIC = "dynamic"
MOST_ZEROS = 20


class Redialler:
    """After a few lost connections the engine waits for up to five minutes before it dials again.

    It loses one whenever a folder is shared again with a connected device (version 1.19), or is
    taken from a device that is just announcing changes. A new address makes it dial at once.
    """

    def __init__(self, rest: Rest, config_lock: asyncio.Lock) -> None:
        self._rest = rest
        self._config_lock = config_lock
        self._lost: set[str] = set()
        self._some_lost = asyncio.Event()
        # The engine remembers for a few seconds which addresses it has dialled.
        self._zeros = itertools.cycle(range(1, MOST_ZEROS + 1))

    def lost(self, peer: str) -> None:
        self._lost.add(peer)
        self._some_lost.set()

    async def run(self) -> None:
        while True:
            await self._some_lost.wait()
            self._some_lost.clear()
            lost, self._lost = self._lost, set()
            await asyncio.gather(*(self._redial(peer) for peer in lost))

    async def _redial(self, peer: str) -> None:
        path = f"config/devices/{quote(peer, safe='')}"
        # The peer may have been removed, or the engine may be stopping.
        with suppress(AppError):
            for delay in TRY_SECONDS:
                await asyncio.sleep(delay)
                addresses = await self._addresses(peer, path)
                if not addresses:
                    return
                zeros = next(self._zeros)
                others = [another_spelling(each, zeros) for each in addresses]
                if not await self._replace(path, addresses, others):
                    return
                connected = await self._connects(peer)
                await self._replace(path, others, addresses)
                # If the new connection was lost as well, begin again with short delays.
                if connected or peer in self._lost:
                    return

    async def _addresses(self, peer: str, path: str) -> list[str]:
        """Return the addresses to dial; none if the peer is connected or cannot be dialled."""
        device = await self._rest.get(dict[str, Any], path)
        if device["paused"] or set(device["addresses"]) <= {DYNAMIC}:
            return []
        return [] if await self._is_connected(peer) else device["addresses"]

    async def _replace(self, path: str, old: list[str], new: list[str]) -> bool:
        """Set other addresses, unless they have been changed in the meantime."""
        async with self._config_lock:
            if (await self._rest.get(dict[str, Any], path))["addresses"] != old:
                return False
            await self._rest.request("PATCH", path, {"addresses": new})
            return True

    async def _connects(self, peer: str) -> bool:
        """Wait for the result of an attempt."""
        for _ in range(DIAL_POLLS):
            if await self._is_connected(peer):
                return True
            await asyncio.sleep(POLL_SECONDS)
        return False

    async def _is_connected(self, peer: str) -> bool:
        found = (await self._rest.connections()).connections.get(peer)
        return found is not None and found.connected


def another_spelling(address: str, zeros: int) -> str:
    """Add zeros to the port: the engine takes it for a new address."""
    host, colon, port = address.rpartition(":")
    return f"{host}:{port.zfill(len(port) + zeros)}" if colon and port.isdigit() else address
