"""Tides of gauges, fitted once a day from their last month."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from quartet.kernel.errors import AppError
from quartet.wind.gauges.types import Gauge, LevelSeries, Tide

if TYPE_CHECKING:
    from quartet.wind.gauges.tides import Fit

# What PEGELONLINE keeps.
_DAYS = 31
_FRESH_SECONDS = 86400
_AGAIN_SECONDS = 900
_MOST_FITS = 200
# A forecast does not wait longer for its tides.
_SOON_SECONDS = 1.5


class MonthSource(Protocol):
    async def series(self, gauge: Gauge, days: int) -> LevelSeries: ...


class Tides:
    def __init__(self, upstream: MonthSource, clock: Callable[[], float]) -> None:
        self._upstream, self._clock = upstream, clock
        # Expiry time and fit, least recently used first.
        self._fits: OrderedDict[str, tuple[float, Fit | None]] = OrderedDict()
        self._fetching: dict[str, asyncio.Lock] = {}
        # Kept from being collected while they run.
        self._running: set[asyncio.Task[list[Tide]]] = set()

    async def of(self, gauge: Gauge) -> list[Tide]:
        """Return the tides of the next days; none if the gauge is not tidal or has no data."""
        if not gauge.tidal:
            return []
        fit = await self._fit_of(gauge)
        if fit is None:
            return []
        from quartet.wind.gauges.tides import PREDICTED_SECONDS, tides_of

        now = int(self._clock())
        decimals = 0 if gauge.unit == "cm" else 2
        # From the start of the hour on, which the table shows.
        return tides_of(fit, now // 3600 * 3600, now + PREDICTED_SECONDS, decimals)

    async def soon(self, gauge: Gauge) -> list[Tide]:
        """Return the tides, or none if the gauge has to be fetched and answers too slowly."""
        work = asyncio.create_task(self.of(gauge))
        self._running.add(work)
        work.add_done_callback(self._running.discard)
        done, _ = await asyncio.wait({work}, timeout=_SOON_SECONDS)
        return work.result() if done else []

    def forget(self) -> None:
        self._fits.clear()

    async def _fit_of(self, gauge: Gauge) -> "Fit | None":
        """Return the cached fit, fetching the month once for concurrent requests."""
        async with self._fetching.setdefault(gauge.id, asyncio.Lock()):
            until, fit = self._fits.get(gauge.id, (0.0, None))
            if self._clock() < until:
                return fit
            from quartet.wind.gauges.tides import fit_tide

            try:
                month = await self._upstream.series(gauge, _DAYS)
                fit, wait = await asyncio.to_thread(fit_tide, month), _FRESH_SECONDS
            except AppError:
                # An older fit is still good.
                wait = _AGAIN_SECONDS
            self._fits[gauge.id] = (self._clock() + wait, fit)
            self._fits.move_to_end(gauge.id)
            if len(self._fits) > _MOST_FITS:
                self._fits.popitem(last=False)
            return fit
