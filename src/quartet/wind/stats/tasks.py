import asyncio

from quartet.kernel.supervisor import BackgroundTask
from quartet.wind.leadership import WORK
from quartet.wind.stats.service import Statistics

# Interval for retries and yearly updates; new requests are handled at once.
_LOOK_SECONDS = 300.0
_FIRST_SECONDS = 5.0


def statistics_loop(statistics: Statistics) -> BackgroundTask:
    """Process requested stations one after the other."""

    async def run() -> None:
        await asyncio.sleep(_FIRST_SECONDS)
        while True:
            statistics.work_requested.clear()
            while await statistics.work():
                pass
            try:
                await asyncio.wait_for(statistics.work_requested.wait(), _LOOK_SECONDS)
            except TimeoutError:
                continue

    return BackgroundTask("statistics", run, exclusive=WORK)
