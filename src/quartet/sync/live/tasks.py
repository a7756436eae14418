import asyncio

from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.live.service import Live

UPDATE_SECONDS = 0.3


def updates_task(live: Live) -> BackgroundTask:
    async def run() -> None:
        while True:
            await live.changed.wait()
            live.publish()
            await asyncio.sleep(UPDATE_SECONDS)

    return BackgroundTask("updates", run, restart_on_return=True)
