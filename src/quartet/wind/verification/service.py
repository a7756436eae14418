"""Stores forecasts as they are issued, and verifies them with the measurements that follow."""

import asyncio
import logging
import time as clocks
from collections import OrderedDict
from collections.abc import Callable, Sequence

from quartet.kernel.batches import in_batches
from quartet.kernel.db import Database
from quartet.wind.blend.answers import BestForecasts
from quartet.wind.observations.time_range import parse_range
from quartet.wind.stations.service import Stations
from quartet.wind.stations.types import KnownStation
from quartet.wind.verification import store
from quartet.wind.verification.store import DaySums, Issued
from quartet.wind.verification.types import MOST_DAYS, Days, ForecastArchive, Verification

log = logging.getLogger("quartet.wind.verification")

_HOUR = 3600
_DAY = 86400
# Most runs of 0 and 12 UTC are there by then.
ISSUE_HOURS = (6, 18)
_LONGEST_LEAD = 72 * _HOUR
# Measurements of a day arrive with some delay.
_DELAY = 3 * _HOUR
# Days that are verified later, after the service was stopped.
_LATE_DAYS = 10
# Stations at a time, to limit memory.
_AT_ONCE = 100
_PAGE = 20
_FRESH_SECONDS = 900
_MOST_CACHED = 500
# The sums of all stations.
ALL = 0


class Verifications:
    def __init__(
        self,
        db: Database,
        stations: Stations,
        best: BestForecasts,
        archive_days: int,
        clock: Callable[[], float] = clocks.time,
    ) -> None:
        self._db = db
        self._stations = stations
        self._best = best
        self._archive_seconds = archive_days * _DAY
        self._clock = clock
        # Expiry time and results, by station and number of days.
        self._cached: OrderedDict[tuple[int, int], tuple[float, Verification]] = OrderedDict()

    async def issue(self) -> int:
        """Store the forecasts of this hour for live stations; return how many.

        A missed hour is not made up for, since later runs and measurements would be part of it.
        """
        time = int(self._clock()) // _HOUR * _HOUR
        if time // _HOUR % 24 not in ISSUE_HOURS:
            return 0
        done = await self._db.read(store.stations_at, time)
        missing = [each for each in self._stations.live() if each not in done]
        count = 0
        for some in in_batches(missing, _AT_ONCE):
            known = (await self._stations.by_ids(list(some))).values()
            rows = [row for each in known if (row := await self._issued(each, time))]
            await self.add(rows)
            count += len(rows)
        if count:
            log.info("forecasts stored for verification: %d stations", count)
        return count

    async def add(self, rows: Sequence[Issued]) -> None:
        await self._db.write(lambda tx: store.add(tx.conn, rows))

    async def _issued(self, station: KnownStation, time: int) -> Issued | None:
        found = await self._best.issued(station.lat, station.lon, time)
        if found is None:
            return None
        # Imported here so that a service without runs does not load numpy.
        from quartet.wind.verification.issued import row_of

        return row_of(station.id, self._best.models, *found)

    async def verify(self) -> int:
        """Verify all days that are over and have no results yet; return how many."""
        now = int(self._clock())
        end = (now - _DELAY) // _DAY * _DAY
        last = await self._db.read(store.last_day)
        first = max(end - _LATE_DAYS * _DAY, 0 if last is None else last + _DAY)
        count = 0
        for day in range(first, end, _DAY):
            count += await self._verify_day(day)
        if count:
            self._cached.clear()
            log.info("forecasts verified: %d days", count)
        return count

    async def _verify_day(self, day: int) -> bool:
        first, last = day - _LONGEST_LEAD, day + _DAY
        found: list[DaySums] = []
        stations = await self._db.read(store.stations_between, first, last)
        if not stations:
            return False
        # Imported here so that a service without runs does not load numpy.
        from quartet.wind.verification.day import DayWork, all_stations, verified

        for some in in_batches(stations, _AT_ONCE):
            issued = await self._db.read(store.between, some, first, last)
            measured = await self._db.read(store.measured, some, day - _HOUR, last)
            found += await asyncio.to_thread(verified, DayWork(day, some, issued, measured))
        if not found:
            return False
        rows = [*found, await asyncio.to_thread(all_stations, found, day)]
        await self._db.write(lambda tx: store.save_days(tx.conn, rows))
        return True

    async def of(self, slug: str | None, days: Days) -> Verification:
        """Return the results of a station, or of all stations."""
        station = await self._stations.by_slug(slug) if slug is not None else None
        key, now = (station.id if station else ALL, int(days)), self._clock()
        expiry, found = self._cached.get(key, (0.0, None))
        if found is None or expiry < now:
            found = await self._results(station, days)
            self._cached[key] = (now + _FRESH_SECONDS, found)
            while len(self._cached) > _MOST_CACHED:
                self._cached.popitem(last=False)
        return found

    async def _results(self, station: KnownStation | None, days: Days) -> Verification:
        from quartet.wind.verification.results import leads_of

        end = int(self._clock()) // _DAY * _DAY
        start = end - days * _DAY
        rows = await self._db.read(store.days_of, station.id if station else ALL, start)
        leads = await asyncio.to_thread(leads_of, rows)
        shown = self._stations.shown(station) if station else None
        return Verification(start, end, days, len(rows), leads, shown)

    async def csv(self, slug: str | None, days: Days) -> str:
        from quartet.wind.verification.results import as_csv

        return as_csv(await self.of(slug, days))

    async def archive(
        self, slug: str, starts: Sequence[str], ends: Sequence[str]
    ) -> ForecastArchive:
        """Return a page of forecasts that were issued for a station in a period."""
        from quartet.wind.verification.results import forecast_of

        start, end = parse_range(starts, ends, self._clock())
        station = await self._stations.by_slug(slug)
        rows = await self._db.read(store.between, [station.id], start, end, _PAGE + 1)
        more = rows[_PAGE].issued if len(rows) > _PAGE else None
        forecasts = await asyncio.to_thread(lambda: [forecast_of(row) for row in rows[:_PAGE]])
        return ForecastArchive(self._stations.shown(station), start, end, forecasts, more)

    async def prune(self) -> int:
        """Delete old forecasts and results; return how many forecasts."""
        now = int(self._clock())
        before, sums = now - self._archive_seconds, now - (MOST_DAYS + 1) * _DAY
        return await self._db.write(lambda tx: store.prune(tx.conn, before, sums))
