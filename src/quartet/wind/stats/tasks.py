import asyncio

from quartet.kernel.supervisor import BackgroundTask
from quartet.wind.leading import WORK
from quartet.wind.stats.service import Statistics

# Years that could not be had, and those of next year, need no hurry.
_LOOK_SECONDS = 300.0
_FIRST_SECONDS = 5.0


def statistics_loop(statistics: Statistics) -> BackgroundTask:
    """One station after the other: nobody needs them at once."""

    async def run() -> None:
        await asyncio.sleep(_FIRST_SECONDS)
        while True:
            statistics.asked.clear()
            while await statistics.work():
                pass
            try:
                await asyncio.wait_for(statistics.asked.wait(), _LOOK_SECONDS)
            except TimeoutError:
                continue

    return BackgroundTask("statistics", run, exclusive=WORK)
