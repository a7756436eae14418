"""Pictures of forecasts for link previews, drawn on demand and kept in memory."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable

import msgspec

from quartet.wind.forecasts.service import Forecasts
from quartet.wind.forecasts.types import ForecastSeries
from quartet.wind.places.coordinates import Coordinates
from quartet.wind.stations.service import Stations
from quartet.wind.stations.types import KnownStation

_HOUR = 3600
_WANTED_HOURS = 48
# About 30 kB each.
_MOST_KEPT = 200
_decode = msgspec.json.Decoder(list[ForecastSeries]).decode


class LinkPreviews:
    def __init__(
        self, stations: Stations, forecasts: Forecasts, clock: Callable[[], float]
    ) -> None:
        self._stations = stations
        self._forecasts = forecasts
        self._clock = clock
        self._kept: OrderedDict[tuple[str, str, int, int], bytes] = OrderedDict()
        # One at a time: previews must not slow down the pages.
        self._drawing = asyncio.Lock()

    async def png(self, slug: str) -> bytes | None:
        """Return the picture, or None if there is no forecast; raises `not_found`."""
        station = await self._stations.by_slug(slug)
        chosen = self._choose(station)
        if chosen is None:
            return None
        key = slug, chosen.model, chosen.run, int(self._clock()) // _HOUR
        async with self._drawing:
            if key not in self._kept:
                self._kept[key] = await asyncio.to_thread(self._draw, station, chosen)
                while len(self._kept) > _MOST_KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]

    def _choose(self, station: KnownStation) -> ForecastSeries | None:
        """Return the finest model that reaches two days ahead, else the first."""
        found = self._forecasts.series(Coordinates(station.lat, station.lon))
        series = _decode(msgspec.json.encode(found))
        end = self._clock() + _WANTED_HOURS * _HOUR
        far = (each for each in series if each.times[-1] >= end)
        return next(far, series[0] if series else None)

    def _draw(self, station: KnownStation, series: ForecastSeries) -> bytes:
        # Imported here because most processes never draw.
        from quartet.wind.pages.preview_picture import HOURS, Picture, PictureHour, draw_preview

        now = int(self._clock())
        rows = zip(series.times, series.wind, series.gust, strict=True)
        hours = [
            PictureHour(time, wind, gust)
            for time, wind, gust in rows
            if wind is not None and now - _HOUR <= time <= now + HOURS * _HOUR
        ]
        names = {model.id: model.name for model in self._forecasts.models().models}
        where = ", ".join(part for part in (station.city, station.country) if part)
        model = names.get(series.model, series.model)
        subtitle = " · ".join(part for part in (where, f"{model}, kn") if part)
        return draw_preview(Picture(station.name, subtitle, hours, station.timezone))
