"""What was measured, and what the airports expect."""

import time as clocks
from collections.abc import Callable, Iterable, Sequence

from quartet.kernel.db import Database, Tx
from quartet.wind.observations import store
from quartet.wind.observations.ranges import parse_range
from quartet.wind.observations.store import Measured
from quartet.wind.observations.types import (
    History,
    Live,
    Measurement,
    Pin,
    SourceState,
    Taf,
)
from quartet.wind.stations.service import LIVE_SECONDS, Stations

_DAY = 86400
# A clock at the other end may be a little ahead; nobody measures the future.
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
        # Of each source by itself: a station may have two that tell different times.
        self._newest: dict[tuple[int, str], Measurement] = {}
        self._sources: dict[str, SourceState] = {}

    async def load(self) -> None:
        """What was measured last, from before the start."""
        since = int(self._clock()) - LIVE_SECONDS
        for station, measurement in await self._db.read(store.latest, since):
            self._remember(station, measurement)

    async def add(self, found: Iterable[Measured]) -> int:
        """Gives how many were new and possible."""
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
        # Before anything else: a span nobody would draw must not be read.
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
        """Every live station with its latest wind."""
        live = self._stations.live()
        known = await self._stations.by_ids(live) if live else {}
        return [
            Pin(each.slug, each.name, each.lat, each.lon, self._latest[number])
            for number, each in known.items()
            if number in self._latest
        ]

    async def prune(self) -> int:
        """Gives how many measurements were too old."""
        before = int(self._clock()) - self._keep_seconds
        return await self._db.write(lambda tx: store.prune(tx.conn, before))

    def source(self, name: str) -> SourceState:
        return self._sources.setdefault(name, SourceState(name))

    def sources(self) -> list[SourceState]:
        """How fetching goes, for those who look after the service."""
        return list(self._sources.values())

    def _is_new(self, row: Measured) -> bool:
        """A correction of the newest one is, too."""
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
            self._stations.heard(station, measurement.time)
