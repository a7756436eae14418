"""Learns how the models do at each station, and blends them for any place."""

import asyncio
import logging
import time as clocks
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from quartet.kernel.batches import in_batches
from quartet.kernel.db import Database
from quartet.wind.blend import store
from quartet.wind.blend.types import Basis
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.places.coordinates import Coordinates
from quartet.wind.ranking import store as rankings
from quartet.wind.stations.service import Stations
from quartet.wind.stations.types import KnownStation

if TYPE_CHECKING:
    from quartet.wind.blend.learning import Learnt
    from quartet.wind.blend.lessons import Lesson
    from quartet.wind.grid.arrays import Doubles

log = logging.getLogger("quartet.wind.blend")

_HOUR = 3600
_DAY = 86400
# Stations that are learnt at a time, to limit memory.
_AT_ONCE = 250
# What a new station learns from at first.
_FIRST_DAYS = 30
# Measurements arrive with some delay.
_DELAY = 1800
_LONGEST_LEAD = 72 * _HOUR
_FRESH_SECONDS = 600
_MOST_CACHED = 2000
# Stations within this distance are neighbours; at `_HALF_KM` one counts half.
_NEIGHBOUR_KM = 60.0
_HALF_KM = 20.0
_HALF_METRES = 150.0
_AT_STATION_KM = 2.0
_MOST_NEIGHBOURS = 6


class Neighbour(NamedTuple):
    station: KnownStation
    km: float
    share: float


class Knowledge(NamedTuple):
    """What is known about a place: from stations, and from nothing for the rest."""

    learnt: "Learnt"
    # How many measurements were below each part of the predicted distribution.
    shares: "Doubles"
    basis: Basis
    neighbours: list[Neighbour]


class Blends:
    """`models` and `ensembles` are all ids, in the order in which learnt numbers are stored."""

    def __init__(
        self,
        db: Database,
        stations: Stations,
        catalogue: Catalogue,
        models: Sequence[str],
        clock: Callable[[], float] = clocks.time,
        ensembles: Sequence[str] = (),
    ) -> None:
        self._db = db
        self._stations = stations
        self.catalogue = catalogue
        self.models = list(models)
        self.ensembles = list(ensembles)
        self._clock = clock
        # Expiry time and what was learnt by station; None for nothing.
        self._cached: OrderedDict[int, tuple[float, Lesson | None]] = OrderedDict()

    async def learn(self) -> int:
        """Learn the hours since the last call; return how many stations have learnt."""
        stations = sorted(await self._db.read(rankings.stations))
        begun, count = clocks.perf_counter(), 0
        for some in in_batches(stations, _AT_ONCE):
            count += await self._learn_some(list(some))
        if count:
            self._cached.clear()
            seconds = clocks.perf_counter() - begun
            log.info("learnt from measurements: %d stations, %.1f s", count, seconds)
        return count

    async def _learn_some(self, stations: list[int]) -> int:
        from quartet.wind.blend.lessons import Batch, is_current, learn_batch

        last = (int(self._clock()) - _DELAY) // _HOUR * _HOUR
        oldest = last - _FIRST_DAYS * _DAY
        stored = await self._db.read(store.states_of, stations)
        known = {row.station: row for row in stored.values() if is_current(row, self.models)}
        learned = {
            each: max(known[each].learned if each in known else 0, oldest) for each in stations
        }
        first = min(learned.values()) + _HOUR
        if first > last:
            return 0
        kept = await self._db.read(store.forecasts, stations, first - _LONGEST_LEAD, last)
        measured = await self._db.read(store.measured, stations, first - _DELAY, last + _DELAY)
        batch = Batch(self.models, known, learned, kept, measured, first, last, self.ensembles)
        rows = await asyncio.to_thread(learn_batch, batch)
        await self._db.write(lambda tx: store.save(tx.conn, rows))
        return len(rows)

    async def knowledge(self, place: Coordinates, station: int | None = None) -> Knowledge:
        """Return what is known about a place; with a station only what was learnt there."""
        from quartet.wind.blend.lessons import combine

        near = await self._neighbours(place, station)
        lessons = await self._lessons([each.station.id for each in near])
        known = [each for each in near if lessons.get(each.station.id) is not None]
        shared = _shared(known)
        parts = [
            (lesson, each.share)
            for each in shared
            if (lesson := lessons.get(each.station.id)) is not None
        ]
        learnt, shares = combine(self.models, parts)
        return Knowledge(learnt, shares, _basis(shared), shared)

    async def _neighbours(self, place: Coordinates, station: int | None) -> list[Neighbour]:
        if station is not None:
            known = await self._stations.by_ids([station])
            return [Neighbour(known[station], 0.0, 1.0)] if station in known else []
        near = self._stations.around(place, _NEIGHBOUR_KM)[:_MOST_NEIGHBOURS]
        found = [(await self._stations.read(each.station, place), each.km) for each in near]
        if not found:
            return []
        # The place is assumed to be as high as the nearest station.
        height = found[0][0].elevation
        return [Neighbour(each, km, _closeness(each, km, height)) for each, km in found]

    async def _lessons(self, stations: list[int]) -> "dict[int, Lesson | None]":
        now = self._clock()
        missing = [
            each for each in stations if each not in self._cached or self._cached[each][0] < now
        ]
        if missing:
            from quartet.wind.blend.lessons import lesson_of

            stored = await self._db.read(store.states_of, missing)
            for each in missing:
                lesson = lesson_of(stored[each], self.models) if each in stored else None
                self._cached[each] = (now + _FRESH_SECONDS, lesson)
            while len(self._cached) > _MOST_CACHED:
                self._cached.popitem(last=False)
        return {each: self._cached[each][1] for each in stations if each in self._cached}

    async def latest(self, station: int, since: int) -> tuple[int, float] | None:
        """Return time and wind of a station's newest measurement."""
        return await self._db.read(store.latest, station, since)

    def forget(self) -> None:
        self._cached.clear()


def _closeness(station: KnownStation, km: float, height: float | None) -> float:
    """Return how much a station says about a place, from 0 to 1."""
    if km < _AT_STATION_KM:
        return 1.0
    near = float(0.5 ** ((km / _HALF_KM) ** 2))
    if height is None or station.elevation is None:
        return near
    return float(near * 0.5 ** (abs(station.elevation - height) / _HALF_METRES))


def _shared(known: list[Neighbour]) -> list[Neighbour]:
    """Return neighbours with their final shares; the rest to 1 is the share of the plain mean."""
    if known and known[0].share == 1.0:
        return [known[0]]
    total = max(sum(each.share for each in known), 1.0)
    return [each._replace(share=each.share / total) for each in known if each.share / total > 0.02]


def _basis(shared: list[Neighbour]) -> Basis:
    if not shared:
        return "models"
    return "station" if shared[0].share == 1.0 and len(shared) == 1 else "neighbours"
