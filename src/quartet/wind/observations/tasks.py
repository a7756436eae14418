import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from quartet.kernel.errors import AppError, problem_of
from quartet.kernel.supervisor import BackgroundTask, Run, every
from quartet.wind.leading import WORK
from quartet.wind.observations.service import Observations
from quartet.wind.observations.sources import Sources
from quartet.wind.stations.service import Stations

log = logging.getLogger("quartet.wind.observations")

METAR_SECONDS = 180.0
TAF_SECONDS = 900.0
POI_SECONDS = 1800.0
TEN_MINUTES_SECONDS = 900.0
_HOUR = 3600.0
# Upstream is left alone until it is clear that the service stays.
_FIRST_SECONDS = 10.0


def keeping_loops(stations: Stations, observations: Observations) -> list[BackgroundTask]:
    """What goes on whether or not anything is fetched."""

    async def load() -> None:
        await stations.loaded.wait()
        await observations.load()

    async def prune() -> None:
        await asyncio.sleep(_FIRST_SECONDS)
        await observations.prune()

    return [
        BackgroundTask("latest measurements", load, everywhere=True),
        every(_HOUR, prune, name="prune measurements", exclusive=WORK),
    ]


def fetching_loops(
    stations: Stations, observations: Observations, sources: Sources
) -> list[BackgroundTask]:
    def loop(name: str, seconds: float, fetch: Callable[[], Awaitable[int]]) -> BackgroundTask:
        run = _telling(stations, observations, name, fetch)
        return every(seconds, run, name=name, jitter=seconds / 4, exclusive=WORK)

    return [
        loop("metar", METAR_SECONDS, sources.metars),
        loop("taf", TAF_SECONDS, sources.tafs),
        loop("poi", POI_SECONDS, sources.poi),
        loop("ten minutes", TEN_MINUTES_SECONDS, sources.ten_minutes),
    ]


def _telling(
    stations: Stations, observations: Observations, name: str, fetch: Callable[[], Awaitable[int]]
) -> Run:
    """An upstream that fails is asked again at its usual pace, and not sooner."""
    first = iter([_FIRST_SECONDS])

    async def run() -> None:
        await asyncio.sleep(next(first, 0))
        await stations.loaded.wait()
        state = observations.source(name)
        state.last_try = time.time()
        try:
            state.count = await fetch()
        except AppError as error:
            state.error = problem_of(error)
            log.warning("%s: %s", name, error)
        else:
            state.last_success, state.error = time.time(), None

    return run
