import asyncio
import logging

from quartet.kernel.errors import AppError
from quartet.kernel.supervisor import BackgroundTask, every
from quartet.wind.gauges.service import Gauges
from quartet.wind.leadership import WORK

log = logging.getLogger("quartet.wind.gauges")

_SECONDS = 900.0
_FIRST_SECONDS = 10.0


def gauges_loop(gauges: Gauges, first: float = _FIRST_SECONDS) -> BackgroundTask:
    started = iter([True])

    async def run() -> None:
        if next(started, False):
            await gauges.load()
            await asyncio.sleep(first)
        try:
            await gauges.refresh()
        except AppError as error:
            # Keep the previous levels; their age is shown.
            log.warning("could not fetch water levels: %s", error)

    return every(_SECONDS, run, name="gauges", jitter=_SECONDS / 4, exclusive=WORK)
