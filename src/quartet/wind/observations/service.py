"""Measurements and TAFs of stations."""

import time as clocks
from collections.abc import Callable, Iterable, Sequence

from quartet.kernel.db import Database, Tx
from quartet.wind.observations import store
from quartet.wind.observations.store import Measured
from quartet.wind.observations.time_range import parse_range
from quartet.wind.observations.types import (
    History,
    Live,
    Measurement,
    MeasurementSourceState,
    Pin,
    Taf,
)
from quartet.wind.stations.service import LIVE_SECONDS, Stations

_DAY = 86400
# Tolerance for source clocks that are ahead.
_AHEAD_SECONDS = 600


class Observations:
    def __init__(
        self,
        db: Database,
        stations: Stations,
        keep_days: int,
        clock: Callable[[], float] = clocks.time,
    ) -> None:
        self._db = db
        self._stations = stations
        self._keep_seconds = keep_days * _DAY
        self._clock = clock
        self._latest: dict[int, Measurement] = {}
        # Per source: two sources of one station may report different times.
        self._newest: dict[tuple[int, str], Measurement] = {}
        self._sources: dict[str, MeasurementSourceState] = {}

    async def load(self) -> None:
        """Load the latest measurements stored before the start."""
        since = int(self._clock()) - LIVE_SECONDS
        for station, measurement in await self._db.read(store.latest, since):
            self._remember(station, measurement)

    async def add(self, found: Iterable[Measured]) -> int:
        """Store new, plausible measurements; return how many."""
        now = self._clock()
        oldest, newest = now - self._keep_seconds, now + _AHEAD_SECONDS
        fresh = [row for row in found if oldest <= row[1].time <= newest and self._is_new(row)]
        if fresh:

            def work(tx: Tx) -> None:
                store.add(tx.conn, fresh)

            await self._db.write(work)
        for station, measurement in fresh:
            self._remember(station, measurement)
        return len(fresh)

    async def add_tafs(self, found: Sequence[tuple[int, Taf]]) -> int:
        now = self._clock()
        fresh = {
            station: taf
            for station, taf in sorted(found, key=lambda each: each[1].issued)
            if taf.issued <= now + _AHEAD_SECONDS and taf.valid_to > now
        }
        if fresh:
            await self._db.write(lambda tx: store.put_tafs(tx.conn, list(fresh.items())))
        return len(fresh)

    async def live(self, slug: str) -> Live:
        station = await self._stations.by_slug(slug)
        now = int(self._clock())
        recent = await self._db.read(store.between, station.id, now - _DAY, now + _AHEAD_SECONDS)
        taf = await self._db.read(store.taf_of, station.id, now)
        return Live(self._stations.shown(station), recent[-1] if recent else None, recent, taf)

    async def history(self, slug: str, starts: Sequence[str], ends: Sequence[str]) -> History:
        # Check the range before reading anything.
        start, end = parse_range(starts, ends, self._clock())
        station = await self._stations.by_slug(slug)
        rows = await self._db.read(store.between, station.id, start, end)
        return History(
            start,
            end,
            [row.time for row in rows],
            [row.wind for row in rows],
            [row.gust for row in rows],
            [row.direction for row in rows],
        )

    async def pins(self) -> list[Pin]:
        """Return every live station with its latest wind."""
        live = self._stations.live()
        known = await self._stations.by_ids(live) if live else {}
        return [
            Pin(each.slug, each.name, each.lat, each.lon, self._latest[number])
            for number, each in known.items()
            if number in self._latest
        ]

    async def prune(self) -> int:
        """Delete old measurements; return how many."""
        before = int(self._clock()) - self._keep_seconds
        return await self._db.write(lambda tx: store.prune(tx.conn, before))

    def source(self, name: str) -> MeasurementSourceState:
        return self._sources.setdefault(name, MeasurementSourceState(name))

    def sources(self) -> list[MeasurementSourceState]:
        """Return the state of all sources, for the admin page."""
        return list(self._sources.values())

    def _is_new(self, row: Measured) -> bool:
        """Return whether the row is newer than the newest one, or corrects it."""
        station, measurement = row
        newest = self._newest.get((station, measurement.source))
        return newest is None or (measurement.time >= newest.time and measurement != newest)

    def _remember(self, station: int, measurement: Measurement) -> None:
        key = (station, measurement.source)
        if key not in self._newest or measurement.time >= self._newest[key].time:
            self._newest[key] = measurement
        latest = self._latest.get(station)
        if latest is None or measurement.time >= latest.time:
            self._latest[station] = measurement
            self._stations.record_report(station, measurement.time)
