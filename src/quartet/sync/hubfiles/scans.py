import asyncio
from collections.abc import Iterable
from contextlib import suppress

from quartet.kernel.errors import AppError
from quartet.sync.hub.types import Hub

# A large file takes longer to be read; the engine goes on without us.
SCAN_SECONDS = 10.0


async def rescan(hub: Hub, engine_folder_id: str, paths: Iterable[str]) -> None:
    """Tells the engine at once; one that does not run looks through its folders when it starts."""
    with suppress(AppError, TimeoutError):
        async with asyncio.timeout(SCAN_SECONDS):
            for path in dict.fromkeys(paths):
                await hub.scan(engine_folder_id, path)
