import asyncio
from dataclasses import replace

from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.revisions.service import Revisions
from quartet.sync.revisions.types import Config


def when_needed(loop: BackgroundTask, revisions: Revisions) -> BackgroundTask:
    """The hub's engine starts when there is a device or a folder, not before."""
    needed = asyncio.Event()

    def look(config: Config) -> None:
        if config.devices or config.folders:
            needed.set()

    async def run() -> None:
        await needed.wait()
        await loop.run()

    look(revisions.current)
    revisions.listeners.append(look)
    return replace(loop, run=run)
