import asyncio
from collections.abc import Iterable
from contextlib import suppress

from quartet.kernel.errors import AppError
from quartet.sync.hub.types import Hub

# Reading a large file may take longer; the engine continues in the background.
SCAN_SECONDS = 10.0


async def rescan(hub: Hub, engine_folder_id: str, paths: Iterable[str]) -> None:
    """Make the engine scan the paths now; a stopped engine scans its folders when it starts."""
    with suppress(AppError, TimeoutError):
        async with asyncio.timeout(SCAN_SECONDS):
            for path in dict.fromkeys(paths):
                await hub.scan(engine_folder_id, path)
