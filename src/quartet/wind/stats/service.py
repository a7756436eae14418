"""Ten-year statistics of a station, computed in the background on request."""

import asyncio
import logging
import time as clocks
from collections.abc import AsyncIterator, Callable
from typing import Protocol

from quartet.kernel.auth import Throttle
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.kernel.events import Signal
from quartet.wind.stations.service import Stations
from quartet.wind.stations.types import KnownStation
from quartet.wind.stats import store
from quartet.wind.stats.archives import Year
from quartet.wind.stats.types import YEARS, Pending, Ready, StatsSource

log = logging.getLogger("quartet.wind.stats")

ASKED = "statistics"
_HOUR = 3600
_AGAIN_SECONDS = 180 * 86400
# Limits the work that a crawler requesting all stations can cause.
_MOST_WAITING = 200
_MOST_OF_ONE_CLIENT = 20


class YearSource(Protocol):
    def years(
        self, station: KnownStation, wanted: list[int]
    ) -> AsyncIterator[tuple[StatsSource, Year]]: ...


class Statistics:
    def __init__(
        self,
        db: Database,
        stations: Stations,
        archive: YearSource,
        clock: Callable[[], float] = clocks.time,
    ) -> None:
        self._db = db
        self._stations = stations
        self._archive = archive
        self._clock = clock
        # Keeps places in the queue for other visitors.
        self._requests = Throttle(_MOST_OF_ONE_CLIENT, _HOUR)
        # Stations whose years lack a histogram of this version; each is read again once.
        self._read_again_once: set[int] = set()
        # Set when there is work.
        self.work_requested = asyncio.Event()

    async def of(self, slug: str, client: str) -> Ready | Pending:
        """Return the statistics, or request them; `client` limits how many one visitor requests."""
        station = await self._stations.by_slug(slug)
        task = await self._db.read(store.task_of, station.id)
        if task is None:
            if await self._may_request(client):
                await self._request(station.id)
            return Pending(0.0)
        if task.done is None or task.source is None:
            count = await self._db.read(store.count_years, station.id)
            return Pending(round(count / YEARS, 2), task.error)
        years = await self._db.read(store.years, station.id)
        # Imported here so that a service without statistics does not load numpy.
        from quartet.wind.stats.counts import has_forces, sum_years

        if not all(has_forces(year) for year in years.values()):
            await self._read_again(station.id)
        months, hours = await asyncio.to_thread(sum_years, list(years.values()))
        return Ready(task.source, list(years), months, hours)

    async def retry(self, slug: str) -> None:
        """Compute the statistics again from the start."""
        station = await self._stations.by_slug(slug)
        await self._db.write(lambda tx: store.forget(tx.conn, station.id))
        await self._request(station.id)

    async def work(self) -> bool:
        """Process one station; return False if none is due."""
        station = await self._db.read(store.due, int(self._clock()))
        if station is None:
            return False
        try:
            await self._make(station)
        except AppError as error:
            log.warning("statistics of station %d failed: %s", station, error)
            await self._failed(station, problem_of(error))
        except Exception as error:
            # Continue with other stations after an unexpected error.
            log.exception("statistics of station %d failed unexpectedly", station)
            await self._failed(station, problem_of(error))
        return True

    async def _failed(self, station: int, problem: Problem) -> None:
        again = int(self._clock()) + _HOUR
        await self._db.write(lambda tx: store.failed(tx.conn, station, problem, again))

    async def _make(self, number: int) -> None:
        known = await self._stations.by_ids([number])
        this_year = clocks.gmtime(self._clock()).tm_year
        wanted = range(this_year - YEARS, this_year)
        from quartet.wind.stats.counts import has_forces

        there = await self._db.read(store.years, number)
        missing = [year for year in wanted if year not in there or not has_forces(there[year])]
        found = bool(there)
        if missing and number in known:
            async for source, year in self._archive.years(known[number], missing):
                await self._save(number, source, year)
                found = True
        if not found:
            raise AppError(502, "statistics_unreadable")
        now = int(self._clock())
        await self._db.write(
            lambda tx: store.finish(tx.conn, number, wanted.start, now, now + _AGAIN_SECONDS)
        )

    async def _save(self, station: int, source: StatsSource, year: Year) -> None:
        await self._db.write(
            lambda tx: store.add_year(tx.conn, station, year.year, year.counts, source)
        )

    async def _may_request(self, client: str) -> bool:
        try:
            await self._requests.attempt(client)
        except AppError:
            log.debug("%s requests too many statistics", client)
            return False
        return True

    async def _read_again(self, station: int) -> None:
        if station in self._read_again_once:
            return
        self._read_again_once.add(station)
        now = int(self._clock())

        def work(tx: Tx) -> None:
            store.make_due(tx.conn, station, now)
            tx.emit(Signal(ASKED))

        await self._db.write(work)
        self.work_requested.set()

    async def _request(self, station: int) -> None:
        now = int(self._clock())

        def work(tx: Tx) -> None:
            if store.waiting(tx.conn) < _MOST_WAITING and not store.task_of(tx.conn, station):
                store.ask(tx.conn, station, now)
                # Another process may be responsible for the computation.
                tx.emit(Signal(ASKED))

        await self._db.write(work)
        self.work_requested.set()
