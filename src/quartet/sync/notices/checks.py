import asyncio
from collections.abc import Iterable
from pathlib import Path

from quartet.kernel.conditions import Finding
from quartet.kernel.conditions.checks import disk_finding
from quartet.kernel.conditions.service import Check
from quartet.sync.hub.service import Hubs

# The name of the main hub in the configuration is empty.
MAIN_HUB = "main"


def hubs_check(hubs: Hubs) -> Check:
    """Return a check of the hubs that are supposed to run."""

    async def check() -> Iterable[Finding]:
        states = ((name, hub.state()) for name, hub in list(hubs.by_name.items()))
        return [
            Finding("hub", name or MAIN_HUB, state.error)
            for name, state in states
            if state.error is not None and state.state != "stopped"
        ]

    return check


def disk_check(folder: Path) -> Check:
    """Return a check of the disk with the files of the hub."""

    async def check() -> Iterable[Finding]:
        return await asyncio.to_thread(lambda: list(disk_finding(folder)))

    return check
