import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from quartet.kernel.errors import AppError, problem_of
from quartet.kernel.supervisor import BackgroundTask, Run, every
from quartet.wind.leadership import WORK
from quartet.wind.observations.service import Observations
from quartet.wind.observations.sources import Sources
from quartet.wind.stations.service import Stations

log = logging.getLogger("quartet.wind.observations")

METAR_SECONDS = 180.0
TAF_SECONDS = 900.0
POI_SECONDS = 1800.0
TEN_MINUTES_SECONDS = 900.0
_HOUR = 3600.0
# Do not query the sources right after a start, which may be followed by another restart.
_FIRST_SECONDS = 10.0


def storage_loops(stations: Stations, observations: Observations) -> list[BackgroundTask]:
    """Return the loops that run regardless of the sources."""

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
        run = _recording(stations, observations, name, fetch)
        return every(seconds, run, name=name, jitter=seconds / 4, exclusive=WORK)

    return [
        loop("metar", METAR_SECONDS, sources.metars),
        loop("taf", TAF_SECONDS, sources.tafs),
        loop("poi", POI_SECONDS, sources.poi),
        loop("ten minutes", TEN_MINUTES_SECONDS, sources.ten_minutes),
    ]


def _recording(
    stations: Stations, observations: Observations, name: str, fetch: Callable[[], Awaitable[int]]
) -> Run:
    """Wrap a fetch: record its state, and retry failures only at the regular interval."""
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
            log.warning("could not fetch %s: %s", name, error)
        else:
            state.last_success, state.error = time.time(), None

    return run
