"""Water levels near a place."""

import asyncio
import time as clocks
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from quartet.kernel.db import Database
from quartet.kernel.errors import AppError
from quartet.wind.fetcher import Fetcher
from quartet.wind.gauges import pegelonline, store
from quartet.wind.gauges.tide_cache import Tides
from quartet.wind.gauges.types import Gauge, GaugeNotice, LevelSeries, Near, NearGauge, NearTides
from quartet.wind.places.coordinates import Coordinates
from quartet.wind.stations.merging import distance_km

NEAR_KM = 15.0
# Some gauges keep reporting an old level for weeks.
_STALE_SECONDS = 6 * 3600
_FRESH_SECONDS = 600
_DAYS = 7
_AGAIN_SECONDS = 120
_MOST_SERIES = 100
_MOST_BYTES = 20_000_000
_EMPTY = LevelSeries([], [])


class GaugeSource(Protocol):
    async def gauges(self) -> list[Gauge] | None:
        """Return all gauges, or None if nothing has changed."""

    async def series(self, gauge: Gauge, days: int) -> LevelSeries: ...


class PegelOnline:
    def __init__(self, fetcher: Fetcher, address: str) -> None:
        self._fetcher = fetcher
        self._address = address

    async def gauges(self) -> list[Gauge] | None:
        url = f"{self._address}/{pegelonline.LIST_QUERY}"
        body = await self._fetcher.fetch_if_changed(url, _MOST_BYTES)
        if body is None:
            return None
        try:
            return pegelonline.parse_gauges(_json(body))
        except AppError:
            self._fetcher.forget(url)
            raise

    async def series(self, gauge: Gauge, days: int) -> LevelSeries:
        url = f"{self._address}/{pegelonline.series_path(gauge.id, days)}"
        self._fetcher.forget(url)
        body = await self._fetcher.fetch_if_changed(url, _MOST_BYTES)
        return _EMPTY if body is None else pegelonline.parse_series(_json(body))


class Gauges:
    def __init__(
        self, db: Database, upstream: GaugeSource, clock: Callable[[], float] = clocks.time
    ) -> None:
        self._db = db
        self._upstream = upstream
        self._clock = clock
        self._gauges: list[Gauge] = []
        # Expiry time and series, least recently used first.
        self._series: OrderedDict[str, tuple[float, LevelSeries]] = OrderedDict()
        self._fetching: dict[str, asyncio.Lock] = {}
        self._tides = Tides(upstream, clock)

    async def load(self) -> None:
        self._gauges = await self._db.read(store.everything)

    async def refresh(self) -> None:
        found = await self._upstream.gauges()
        if found is None:
            return
        if not found:
            raise AppError(502, "gauges_unreadable")
        await self._db.write(lambda tx: store.replace(tx.conn, found))
        self._gauges = found

    async def near(self, place: Coordinates) -> Near:
        """Return the nearest gauge with current data, else the nearest one."""
        found = self._nearest(place)
        if found is None:
            return Near(None)
        gauge, km, stale = found
        gauge = self._shown(gauge)
        series = await self._series_of(gauge)
        notice: GaugeNotice | msgspec.UnsetType = msgspec.UNSET
        if stale:
            notice = "outdated"
        elif not series.times:
            notice = "series_missing"
        tides = await self._tides.of(gauge) or msgspec.UNSET
        fields = msgspec.structs.asdict(gauge) | {"series": series, "notice": notice}
        return Near(NearGauge(**fields, distance_km=round(km, 1), tides=tides))

    async def tides(self, place: Coordinates) -> NearTides | None:
        """Return the tides at the nearest gauge, if it is tidal and answers soon."""
        found = self._nearest(place)
        if found is None:
            return None
        gauge, km, _ = found
        tides = await self._tides.soon(gauge)
        return NearTides(gauge.name, round(km, 1), gauge.unit, tides) if tides else None

    def _nearest(self, place: Coordinates) -> tuple[Gauge, float, bool] | None:
        """Return a gauge, its distance, and whether it has old data only."""
        around = [
            (self._is_stale(gauge), distance_km(place.lat, place.lon, gauge.lat, gauge.lon), at)
            for at, gauge in enumerate(self._gauges)
        ]
        near = [each for each in around if each[1] <= NEAR_KM]
        if not near:
            return None
        stale, km, at = min(near)
        return self._gauges[at], km, stale

    def forget(self) -> None:
        """Clear the cached series."""
        self._series.clear()
        self._tides.forget()

    async def pins(self) -> list[Gauge]:
        """Return all gauges, for the map."""
        return [self._shown(gauge) for gauge in self._gauges]

    def _shown(self, gauge: Gauge) -> Gauge:
        stale = self._is_stale(gauge) and gauge.state != "unknown"
        return msgspec.structs.replace(gauge, state="unknown") if stale else gauge

    def _is_stale(self, gauge: Gauge) -> bool:
        return gauge.time is None or self._clock() - gauge.time > _STALE_SECONDS

    async def _series_of(self, gauge: Gauge) -> LevelSeries:
        """Return the cached series, fetching it once for concurrent requests.

        An expired series is used while the source is unavailable.
        """
        until, series = self._series.get(gauge.id, (0.0, _EMPTY))
        if self._clock() < until:
            return series
        async with self._fetching.setdefault(gauge.id, asyncio.Lock()):
            until, series = self._series.get(gauge.id, (0.0, _EMPTY))
            if self._clock() < until:
                return series
            try:
                series, wait = await self._upstream.series(gauge, _DAYS), _FRESH_SECONDS
            except AppError:
                wait = _AGAIN_SECONDS
            self._series[gauge.id] = (self._clock() + wait, series)
            if len(self._series) > _MOST_SERIES:
                self._series.popitem(last=False)
        return series


def _json(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise AppError(502, "gauges_unreadable") from error
