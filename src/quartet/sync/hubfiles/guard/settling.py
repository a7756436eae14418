"""Finds out whether the hub knows all of a change that a device has begun."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from quartet.kernel.errors import AppError
from quartet.sync.hub.types import Hub

# A device sends a change in several parts. A few files need only a short time without another
# part; for more files the device scans its folder, and the hub waits for what the scan found.
FEW_FILES = 10
FEW_SECONDS = 0.3
# The scan's last part has not been seen, because the device is connected to another hub.
UNSEEN_SECONDS = 5.0
# The device cannot be asked: it has no agent, or an old one. Syncthing collects changes for ten
# seconds.
SILENT_SECONDS = 15.0
# A device that keeps changing more files does not delay the others for longer than this.
MOST_SECONDS = 120.0

# Lets a device scan a folder; returns the number of its last change, 0 if it is unknown.
Scan = Callable[[str, str], Awaitable[int]]


@dataclass
class Burst:
    """The files that wait in a folder, counted by device."""

    counts: Mapping[str, int]
    began: float
    # Since when the counts have not changed.
    since: float
    scans: dict[str, asyncio.Task[int]] = field(default_factory=dict)
    # All parts have arrived, perhaps after the files were counted.
    arrived: bool = False

    def cancel(self) -> None:
        for scan in self.scans.values():
            scan.cancel()


class Settling:
    def __init__(self, hub: Hub, scan: Scan) -> None:
        self._hub = hub
        self._scan = scan
        self._bursts: dict[str, Burst] = {}

    async def is_complete(self, folder: str, counts: Mapping[str, int], *, few: bool) -> bool:
        """Return True if the device has sent everything, or has taken too long for it."""
        now = time.monotonic()
        burst = self._bursts.get(folder)
        if burst is None or burst.counts != counts:
            began = now if burst is None else burst.began
            self.forget(folder)
            burst = self._bursts[folder] = Burst(counts, began, now)
        if now - burst.began >= MOST_SECONDS:
            return True
        if few:
            return now - burst.since >= FEW_SECONDS
        if burst.arrived:
            return True
        sent = [await self._has_sent_all(folder, device, burst) for device in counts]
        burst.arrived = all(sent)
        return False

    def seconds(self, folder: str) -> float:
        """Return for how long files have been waiting in a folder."""
        burst = self._bursts.get(folder)
        return time.monotonic() - burst.began if burst else 0.0

    def forget(self, folder: str) -> None:
        burst = self._bursts.pop(folder, None)
        if burst is not None:
            burst.cancel()

    async def _has_sent_all(self, folder: str, device: str, burst: Burst) -> bool:
        scan = burst.scans.get(device)
        if scan is None:
            scan = burst.scans[device] = asyncio.create_task(self._ask(folder, device))
        if not scan.done():
            return False
        last = scan.result()
        if last and await self._received(folder, device) >= last:
            return True
        wait = UNSEEN_SECONDS if last else SILENT_SECONDS
        return time.monotonic() - burst.since >= wait

    async def _ask(self, folder: str, device: str) -> int:
        # The server of the agent may be restarting.
        with suppress(AppError):
            return await self._scan(folder, device)
        return 0

    async def _received(self, folder: str, device: str) -> int:
        with suppress(AppError):
            return await self._hub.received(folder, device)
        return 0
