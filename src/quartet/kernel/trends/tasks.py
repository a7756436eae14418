import asyncio
import shutil
import time
from typing import Any

from quartet.kernel.kernel_gauges import memory_bytes
from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask
from quartet.kernel.trends.service import Source, rate_of

# Shortly after the full second, so that no second has two samples.
OFFSET_SECONDS = 0.005
# The disk is asked in a thread, because an unavailable network drive blocks.
DISK_SECONDS = 60
# A crash loses at most this much; a normal stop loses nothing.
SAVE_SECONDS = 600


def trends_task(kernel: Kernel[Any]) -> BackgroundTask:
    """Record CPU, memory and disk of this process, and the figures of the service."""
    trends = kernel.trends
    disk = {"used": 0.0}

    async def read_disk() -> None:
        usage = await asyncio.to_thread(shutil.disk_usage, kernel.settings.data)
        disk["used"] = 100 * (usage.total - usage.free) / usage.total

    cpu = rate_of(time.process_time)
    trends.sources += [
        Source("cpu", lambda: 100 * cpu()),
        Source("memory", memory_bytes),
        Source("disk", lambda: disk["used"]),
        Source("streams", lambda: kernel.events.streams),
    ]

    async def run() -> None:
        await asyncio.to_thread(trends.load)
        seconds = 0
        try:
            while True:
                if seconds % DISK_SECONDS == 0:
                    await read_disk()
                trends.sample()
                seconds += 1
                if seconds % SAVE_SECONDS == 0:
                    await trends.save_in_thread()
                await asyncio.sleep(_until_next_second())
        finally:
            trends.save()

    return BackgroundTask("trends", run, everywhere=True)


def _until_next_second() -> float:
    return 1 + OFFSET_SECONDS - time.time() % 1
