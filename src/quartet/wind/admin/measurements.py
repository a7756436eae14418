"""Admin page: sources of measurements, with counts and ages."""

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
from quartet.wind.observations.types import MeasurementSourceState
from quartet.wind.stations import store as stations_store
from quartet.wind.stations.service import Stations

_DAY = 86400
_HOUR = 3600


class AdminSource(msgspec.Struct, frozen=True, rename="camel"):
    """`newest` is the time of the newest measurement, `age` the seconds since then.

    `day_count` counts the last 24 hours; `last_count` and `error` are from the last attempt.
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
    """`live_stations` have reported within the last hours."""

    sources: list[AdminSource]
    stations: int
    live_stations: int


class _MonitoredSource(NamedTuple):
    """A source, the loop that fetches it, and the age in seconds at which it is overdue."""

    id: str
    loop: str
    longest: int


_REAL = (
    _MonitoredSource("metar", "metar", 3 * _HOUR),
    _MonitoredSource("poi", "poi", 4 * _HOUR),
    _MonitoredSource("ten_minutes", "ten minutes", 3 * _HOUR),
    _MonitoredSource("taf", "taf", 12 * _HOUR),
    _MonitoredSource("gauges", "gauges", 6 * _HOUR),
)

_DEMO = (
    _MonitoredSource("demo", "demo measurements", 3 * _HOUR),
    _MonitoredSource("gauges", "gauges", 6 * _HOUR),
)


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
        self._monitored = _DEMO if demo else _REAL
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
        for source in self._monitored:
            if source.id not in newest:
                newest[source.id] = await self._db.read(store.newest_measurement, source.id)
        return [
            self._source(source, newest[source.id], counts.get(source.id, 0))
            for source in self._monitored
        ]

    def _source(self, source: _MonitoredSource, newest: int | None, count: int) -> AdminSource:
        states = {state.name: state for state in self._observations.sources()}
        state = states.get(source.loop, MeasurementSourceState(source.loop))
        age = None if newest is None else int(self._clock() - newest)
        return AdminSource(
            id=source.id,
            newest=newest,
            age=age,
            overdue=age is None or age > source.longest,
            day_count=count,
            last_try=state.last_try,
            last_success=state.last_success,
            last_count=state.count,
            error=state.error,
            task=task_id_of(source.loop),
        )
