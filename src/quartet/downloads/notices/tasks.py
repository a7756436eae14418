import asyncio

from quartet.downloads.notices.service import Notices
from quartet.kernel.events import EventHub
from quartet.kernel.supervisor import BackgroundTask

# What happens together is told together.
GATHER_SECONDS = 5.0


def notices_loop(
    notices: Notices, hub: EventHub, seconds: float = GATHER_SECONDS
) -> BackgroundTask:
    async def run() -> None:
        while True:
            # Listens before it looks: what happens meanwhile is not missed.
            async with hub.subscribe() as news:
                await notices.look()
                async for frame in news:
                    if frame.type == "changed":
                        break
            await asyncio.sleep(seconds)

    return BackgroundTask("notices", run)
