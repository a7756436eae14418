import asyncio

from quartet.downloads.queue.queue_services import QueueServices
from quartet.downloads.queue.scheduler.progress import ProgressMeter
from quartet.downloads.queue.scheduler.scheduler import Scheduler
from quartet.downloads.queue.scheduler.space_watch import SpaceWatch
from quartet.downloads.queue.scheduler_inbox import SchedulerInbox
from quartet.kernel.events import EventHub
from quartet.kernel.supervisor import BackgroundTask

PROGRESS_SECONDS = 1.0
# How often to look for disk space for downloads that were paused for lack of it.
SPACE_SECONDS = 20.0
# Small files that started together end together, so their slots are refilled together.
GATHER_SECONDS = 0.004
# Delay, so that many small files are synced together.
SYNC_SECONDS = 1.0


def queue_loop(scheduler: Scheduler, inbox: SchedulerInbox) -> BackgroundTask:
    async def run() -> None:
        try:
            await scheduler.recover()
            while True:
                await inbox.signal.wait(await scheduler.run_once())
                if not inbox.woken:
                    await asyncio.sleep(GATHER_SECONDS)
        except asyncio.CancelledError:
            await scheduler.close()
            raise

    return BackgroundTask("queue", run)


def sync_loop(services: QueueServices, inbox: SchedulerInbox) -> BackgroundTask:
    """Sync files after they arrive. The first pass checks the files of the previous process."""

    async def run() -> None:
        while True:
            if await services.fsync_queue.sync_all():
                inbox.wake()
            await services.finisher.file_arrived.wait()
            await asyncio.sleep(SYNC_SECONDS)

    return BackgroundTask("sync", run)


def seeding_loop(scheduler: Scheduler) -> BackgroundTask:
    async def run() -> None:
        seeding = scheduler.torrents.seeding
        while True:
            await seeding.run_once()
            if scheduler.torrents.active:
                scheduler.task_started.set()
            await seeding.wait()

    return BackgroundTask("seeding", run)


def metadata_loop(scheduler: Scheduler) -> BackgroundTask:
    async def run() -> None:
        metadata = scheduler.torrents.metadata
        while True:
            await metadata.run_once()
            await metadata.changed.wait()

    return BackgroundTask("magnet-metadata", run)


def space_loop(watch: SpaceWatch) -> BackgroundTask:
    async def run() -> None:
        while True:
            await asyncio.sleep(SPACE_SECONDS)
            await watch.run_once()

    return BackgroundTask("disk-space", run)


def progress_loop(scheduler: Scheduler, meter: ProgressMeter, hub: EventHub) -> BackgroundTask:
    async def run() -> None:
        while True:
            await scheduler.task_started.wait()
            while scheduler.tasks or scheduler.torrents.active:
                hub.publish(await meter.read())
                await asyncio.sleep(PROGRESS_SECONDS)
            hub.publish(await meter.read())

    return BackgroundTask("progress", run)
