import asyncio

from quartet.downloads.queue.desk import Desk
from quartet.downloads.queue.progress import Meter
from quartet.downloads.queue.scheduler import Scheduler
from quartet.kernel.events import Hub
from quartet.kernel.supervisor import Loop

PROGRESS_SECONDS = 1.0


def queue_loop(scheduler: Scheduler, desk: Desk) -> Loop:
    async def run() -> None:
        try:
            await scheduler.sweep()
            while True:
                await desk.signal.wait(await scheduler.once())
        except asyncio.CancelledError:
            await scheduler.close()
            raise

    return Loop("queue", run)


def progress_loop(scheduler: Scheduler, meter: Meter, hub: Hub) -> Loop:
    async def run() -> None:
        while True:
            await scheduler.began.wait()
            while scheduler.runs:
                hub.publish(await meter.read())
                await asyncio.sleep(PROGRESS_SECONDS)
            hub.publish(await meter.read())

    return Loop("progress", run)
