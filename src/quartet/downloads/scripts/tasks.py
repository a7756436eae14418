import asyncio

from quartet.downloads.scripts.service import Scripts
from quartet.kernel.events import EventHub
from quartet.kernel.supervisor import BackgroundTask

# Many changes come together; none of them needs the script at once.
GATHER_SECONDS = 1.0


def scripts_loop(scripts: Scripts, hub: EventHub) -> BackgroundTask:
    async def run() -> None:
        while True:
            # Subscribe before looking, so that no change is missed in between.
            async with hub.subscribe() as frames:
                await scripts.run_due()
                async for frame in frames:
                    if frame.type == "changed":
                        break
            await asyncio.sleep(GATHER_SECONDS)

    return BackgroundTask("scripts", run)
