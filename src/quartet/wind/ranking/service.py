"""Stores forecasts for stations and ranks the models by their accuracy."""

import asyncio
import time as clocks
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

from quartet.kernel.db import Database
from quartet.wind.observations import store as observations
from quartet.wind.observations.types import Measurement
from quartet.wind.places.coordinates import Coordinates
from quartet.wind.ranking import store
from quartet.wind.ranking.types import BUCKETS, Bucket, Nearest, Ranking
from quartet.wind.stations.service import Stations

if TYPE_CHECKING:
    from quartet.wind.grid.reading import StoredRun

_DAY = 86400
_HOUR = 3600
# Only runs that all models have, so that all are compared at the same lead time.
RUN_HOURS = (0, 12)
# A new measurement changes a ranking only slightly.
_FRESH_SECONDS = 900
_MOST_CACHED = 500
_NOTHING = [Bucket(hours, 0, [], "few_samples") for hours in BUCKETS]


class Rankings:
    def __init__(
        self,
        db: Database,
        stations: Stations,
        days: int,
        clock: Callable[[], float] = clocks.time,
    ) -> None:
        self._db = db
        self._stations = stations
        self._seconds = days * _DAY
        self._clock = clock
        self._cached: OrderedDict[int, Ranking] = OrderedDict()
        # Expiry time, and the stations that have stored forecasts.
        self._compared: tuple[float, frozenset[int]] = (0.0, frozenset())
        self._comparing = asyncio.Lock()
        self._kept: dict[tuple[str, int], set[int]] = {}

    async def of(self, station: int) -> Ranking:
        now = int(self._clock())
        if station not in await self._all_compared():
            return Ranking(now - self._seconds, now, _NOTHING)
        cached = self._cached.get(station)
        if cached is None or now - cached.end > _FRESH_SECONDS:
            cached = await self._rank(station, now)
            self._cached[station] = cached
            while len(self._cached) > _MOST_CACHED:
                self._cached.popitem(last=False)
        return cached

    async def nearest(self, place: Coordinates) -> Nearest | None:
        """Return the nearest station with its ranking, from memory because it is requested for
        every point.
        """
        near = self._stations.nearest(place)
        if near is None:
            return None
        station = await self._stations.read(near.station, place)
        ranking = await self.of(station.id)
        return Nearest(self._stations.shown(station), round(near.km, 1), ranking)

    async def keep(self, run: "StoredRun") -> int:
        """Store the run's forecast for live stations that do not have it yet; return how many."""
        if run.run // _HOUR % 24 not in RUN_HOURS:
            return 0
        kept = await self._kept_of(run.model, run.run)
        missing = [station for station in self._stations.live() if station not in kept]
        if not missing:
            return 0
        known = await self._stations.by_ids(missing)
        places = [(each.id, each.lat, each.lon) for each in known.values()]
        rows = await asyncio.to_thread(_sampled, run, places)
        if rows:
            await self._db.write(lambda tx: store.keep(tx.conn, rows))
            self._compared = (0.0, frozenset())
        # Also stations outside of the model's area, so that they are not tried again.
        kept.update(missing)
        return len(rows)

    async def add(self, rows: list[store.Kept]) -> None:
        """Add forecasts of earlier runs, for the demo."""
        await self._db.write(lambda tx: store.keep(tx.conn, rows))
        self.forget()

    async def prune(self) -> int:
        """Delete old forecasts; return how many."""
        before = int(self._clock()) - self._seconds - 4 * _DAY
        pruned = await self._db.write(lambda tx: store.prune(tx.conn, before))
        self._kept = {key: kept for key, kept in self._kept.items() if key[1] >= before}
        return pruned

    def forget(self) -> None:
        """Clear the cached rankings."""
        self._cached.clear()
        self._compared = (0.0, frozenset())

    async def _kept_of(self, model: str, run: int) -> set[int]:
        key = (model, run)
        if key not in self._kept:
            self._kept[key] = await self._db.read(store.stations_of, model, run)
        return self._kept[key]

    async def _all_compared(self) -> frozenset[int]:
        until, compared = self._compared
        if self._clock() < until:
            return compared
        async with self._comparing:
            if self._clock() >= self._compared[0]:
                found = frozenset(await self._db.read(store.stations))
                self._compared = (self._clock() + _FRESH_SECONDS / 3, found)
        return self._compared[1]

    async def _rank(self, station: int, now: int) -> Ranking:
        since = now - self._seconds
        kept = await self._db.read(store.of_station, station, since)
        if not kept:
            return Ranking(since, now, _NOTHING)
        measured = await self._db.read(observations.between, station, since, now)
        return await asyncio.to_thread(_ranking, since, now, kept, measured)


def _ranking(
    since: int, now: int, kept: list[tuple[str, int, bytes]], measured: list[Measurement]
) -> Ranking:
    # Imported here so that a service without runs does not load numpy.
    from quartet.wind.ranking.hours import LeadTimeHours, unpack
    from quartet.wind.ranking.scores import buckets_of

    forecasts: dict[str, dict[int, LeadTimeHours]] = {}
    for model, run, hours in kept:
        forecasts.setdefault(model, {})[run] = unpack(hours)
    return Ranking(since, now, buckets_of(forecasts, measured))


def _sampled(run: "StoredRun", places: list[tuple[int, float, float]]) -> list[store.Kept]:
    from quartet.wind.ranking.hours import hours_of

    found = ((station, hours_of(run, lat, lon)) for station, lat, lon in places)
    return [(station, run.model, run.run, hours) for station, hours in found if hours]
