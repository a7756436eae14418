"""Forecasts for other pages, displays and home automation."""

import asyncio
import time as clocks
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.wind.blend.answers import BestForecasts
from quartet.wind.blend.types import BestForecast
from quartet.wind.observations.service import Observations
from quartet.wind.places.coordinates import Coordinates, parse_coordinates
from quartet.wind.spots.timezones import timezone_at
from quartet.wind.stations.service import Stations
from quartet.wind.units import WindUnit, unit_name
from quartet.wind.widgets.types import MeasuredWind, Widget, WidgetHour, WidgetLook

_HOUR = 3600
_HOURS = 72
_JSON_HOURS = 48
_RECENT_SECONDS = 2 * _HOUR
# Pictures change with every run and every hour.
_FRESH_SECONDS = 300.0
_MOST_CACHED = 300
_LONGEST_NAME = 60


class WidgetPlace(NamedTuple):
    name: str
    place: Coordinates
    # Slug of a station, if it is one.
    station: str | None
    timezone: str


class Widgets:
    def __init__(
        self,
        stations: Stations,
        observations: Observations,
        best: BestForecasts,
        clock: Callable[[], float] = clocks.time,
    ) -> None:
        self._stations, self._observations = stations, observations
        self._best, self._clock = best, clock
        # Expiry time and forecast by place.
        self._cached: OrderedDict[WidgetPlace, tuple[float, Widget]] = OrderedDict()
        # One at a time: pictures must not slow down the pages.
        self._drawing = asyncio.Lock()

    async def place(
        self, slug: str | None, lats: Sequence[str], lons: Sequence[str], name: str
    ) -> WidgetPlace:
        """Return the station, or the point of the coordinates with any name."""
        if slug is not None:
            found = await self._stations.by_slug(slug)
            spot = Coordinates(found.lat, found.lon)
            return WidgetPlace(found.name, spot, found.slug, found.timezone)
        point = parse_coordinates(lats, lons)
        shown = "".join(each for each in name if each.isprintable()).strip()[:_LONGEST_NAME]
        zone = await asyncio.to_thread(timezone_at, point.lat, point.lon)
        return WidgetPlace(shown or f"{point.lat}, {point.lon}", point, None, zone)

    async def json(self, where: WidgetPlace) -> Widget:
        found = await self._read(where)
        return Widget(
            found.name,
            found.lat,
            found.lon,
            found.time,
            found.hours[:_JSON_HOURS],
            found.now,
            found.measured,
        )

    async def svg(self, where: WidgetPlace, look: WidgetLook) -> str:
        from quartet.wind.widgets.chart import chart

        return chart(await self._read(where), where.timezone, look)

    async def page(self, where: WidgetPlace, look: WidgetLook, link: str) -> str:
        from quartet.wind.widgets.html import embedded_page

        return embedded_page(await self._read(where), where.timezone, look, link)

    async def display(self, where: WidgetPlace, look: WidgetLook) -> str:
        from quartet.wind.widgets.html import display_page

        return display_page(await self._read(where), where.timezone, look)

    async def png(self, where: WidgetPlace, unit: WindUnit) -> bytes:
        """Return the picture of link previews, drawn with Best."""
        found = await self._read(where)
        if not found.hours:
            raise AppError(404, "not_found")
        # Imported here because most processes never draw.
        from quartet.wind.pages.preview_picture import Picture, PictureHour, draw_preview

        hours = [PictureHour(each.time, each.wind, each.gust) for each in found.hours]
        picture = Picture(found.name, f"Best, {unit_name(unit)}", hours, where.timezone, unit)
        async with self._drawing:
            return await asyncio.to_thread(draw_preview, picture)

    async def _read(self, where: WidgetPlace) -> Widget:
        now = self._clock()
        expiry, found = self._cached.get(where, (0.0, None))
        if found is None or expiry < now:
            best = await self._best.at(where.place)
            measured = await self._measured(where.station) if where.station else None
            found = _widget(where, best, measured, int(now))
            self._cached[where] = (now + _FRESH_SECONDS, found)
            while len(self._cached) > _MOST_CACHED:
                self._cached.popitem(last=False)
        return found

    async def _measured(self, slug: str) -> MeasuredWind | None:
        latest = (await self._observations.live(slug)).latest
        if latest is None or latest.time < self._clock() - _RECENT_SECONDS:
            return None
        return MeasuredWind(latest.time, latest.wind, latest.gust, latest.direction)


def _widget(
    where: WidgetPlace, best: BestForecast, measured: MeasuredWind | None, now: int
) -> Widget:
    rows = zip(best.times, best.wind, best.gust, best.direction, best.p10, best.p90, strict=True)
    hours = [WidgetHour(*row) for row in rows][:_HOURS]
    current = hours[0] if hours and hours[0].time <= now else None
    return Widget(where.name, *where.place, now, hours, current, measured)
