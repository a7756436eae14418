import asyncio

from quartet.downloads.notices.service import Notices
from quartet.kernel.events import EventHub
from quartet.kernel.supervisor import BackgroundTask

# Events within this time are sent as one message.
GATHER_SECONDS = 5.0


def notices_loop(
    notices: Notices, hub: EventHub, seconds: float = GATHER_SECONDS
) -> BackgroundTask:
    async def run() -> None:
        while True:
            # Subscribe before checking, so that no change is missed in between.
            async with hub.subscribe() as frames:
                await notices.check()
                async for frame in frames:
                    if frame.type == "changed":
                        break
            await asyncio.sleep(seconds)

    return BackgroundTask("notices", run)
