import asyncio

from quartet.downloads.queue.desk import Desk
from quartet.downloads.queue.progress import Meter
from quartet.downloads.queue.run import Tools
from quartet.downloads.queue.scheduler import Scheduler
from quartet.kernel.events import EventHub
from quartet.kernel.supervisor import BackgroundTask

PROGRESS_SECONDS = 1.0
# Small files that began together end together: their slots are filled at once.
GATHER_SECONDS = 0.004
# So that many small files are confirmed together.
SYNC_SECONDS = 1.0


def queue_loop(scheduler: Scheduler, desk: Desk) -> BackgroundTask:
    async def run() -> None:
        try:
            await scheduler.sweep()
            while True:
                await desk.signal.wait(await scheduler.once())
                if not desk.woken:
                    await asyncio.sleep(GATHER_SECONDS)
        except asyncio.CancelledError:
            await scheduler.close()
            raise

    return BackgroundTask("queue", run)


def sync_loop(tools: Tools, desk: Desk) -> BackgroundTask:
    """At the start first: what the disk has not confirmed may not be whole."""

    async def run() -> None:
        while True:
            if await tools.syncing.all():
                desk.wake()
            await tools.arrivals.ended.wait()
            await asyncio.sleep(SYNC_SECONDS)

    return BackgroundTask("sync", run)


def progress_loop(scheduler: Scheduler, meter: Meter, hub: EventHub) -> BackgroundTask:
    async def run() -> None:
        while True:
            await scheduler.began.wait()
            while scheduler.runs:
                hub.publish(await meter.read())
                await asyncio.sleep(PROGRESS_SECONDS)
            hub.publish(await meter.read())

    return BackgroundTask("progress", run)
