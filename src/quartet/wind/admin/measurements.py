"""What was measured: from which source, how much and how old."""

import time
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from quartet.kernel.db import Database
from quartet.kernel.errors import Problem
from quartet.wind.admin import store
from quartet.wind.admin.background import task_id_of
from quartet.wind.gauges.service import Gauges
from quartet.wind.observations.service import Observations
from quartet.wind.observations.types import SourceState
from quartet.wind.stations import store as stations_store
from quartet.wind.stations.service import Stations

_DAY = 86400
_HOUR = 3600


class AdminSource(msgspec.Struct, frozen=True, rename="camel"):
    """`newest` is the time of the newest measurement, `age` the seconds since.

    `day_count` came within a day; `last_count` with the last try, of which `error` is as well.
    """

    id: str
    newest: int | None
    age: int | None
    overdue: bool
    day_count: int
    last_try: float | None
    last_success: float | None
    last_count: int
    error: Problem | None
    task: str | None


class AdminMeasurements(msgspec.Struct, frozen=True, rename="camel"):
    """`live_stations` have measured within the last hours."""

    sources: list[AdminSource]
    stations: int
    live_stations: int


class _Fed(NamedTuple):
    """A source, the loop that feeds it, and the age beyond which something is wrong."""

    id: str
    loop: str
    longest: int


_REAL = (
    _Fed("metar", "metar", 3 * _HOUR),
    _Fed("poi", "poi", 4 * _HOUR),
    _Fed("ten_minutes", "ten minutes", 3 * _HOUR),
    _Fed("taf", "taf", 12 * _HOUR),
    _Fed("gauges", "gauges", 6 * _HOUR),
)

_DEMO = (_Fed("demo", "demo measurements", 3 * _HOUR), _Fed("gauges", "gauges", 6 * _HOUR))


class AdminSources:
    def __init__(
        self,
        db: Database,
        stations: Stations,
        observations: Observations,
        gauges: Gauges,
        *,
        demo: bool,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._db = db
        self._stations = stations
        self._observations = observations
        self._gauges = gauges
        self._fed = _DEMO if demo else _REAL
        self._clock = clock

    async def everything(self) -> AdminMeasurements:
        count = await self._db.read(stations_store.count)
        return AdminMeasurements(await self.sources(), count, len(self._stations.live()))

    async def sources(self) -> list[AdminSource]:
        since = int(self._clock()) - _DAY
        counts = await self._db.read(store.count_measurements, since)
        counts["taf"] = await self._db.read(store.count_tafs, since)
        pins = [pin.time for pin in await self._gauges.pins() if pin.time is not None]
        counts["gauges"] = sum(time >= since for time in pins)
        newest = {"gauges": max(pins, default=None), "taf": await self._db.read(store.newest_taf)}
        for fed in self._fed:
            if fed.id not in newest:
                newest[fed.id] = await self._db.read(store.newest_measurement, fed.id)
        return [self._source(fed, newest[fed.id], counts.get(fed.id, 0)) for fed in self._fed]

    def _source(self, fed: _Fed, newest: int | None, count: int) -> AdminSource:
        states = {state.name: state for state in self._observations.sources()}
        state = states.get(fed.loop, SourceState(fed.loop))
        age = None if newest is None else int(self._clock() - newest)
        return AdminSource(
            id=fed.id,
            newest=newest,
            age=age,
            overdue=age is None or age > fed.longest,
            day_count=count,
            last_try=state.last_try,
            last_success=state.last_success,
            last_count=state.count,
            error=state.error,
            task=task_id_of(fed.loop),
        )
