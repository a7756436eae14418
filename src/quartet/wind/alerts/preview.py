"""What an alarm would find now, and what it would have found in the last weeks."""

import asyncio
import time as clocks
from collections.abc import Callable, Sequence

from quartet.kernel.db import Database
from quartet.wind.alerts import store
from quartet.wind.alerts.choosing import Choosing
from quartet.wind.alerts.evaluation import windows_in
from quartet.wind.alerts.service import check
from quartet.wind.alerts.store_windows import Watched
from quartet.wind.alerts.types import (
    AlarmChange,
    AlarmWindow,
    Past,
    Preview,
    PreviewRequest,
    Rule,
    Window,
)
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.observations import store as observations
from quartet.wind.places.coordinates import Coordinates
from quartet.wind.ranking import store as rankings
from quartet.wind.spots.service import Spots
from quartet.wind.spots.types import Favorite
from quartet.wind.stations.service import Stations
from quartet.wind.stations.types import Known

PAST_DAYS = 30
_DAY = 86400
# With fewer hours nobody can say how often it blows.
_FEWEST_HOURS = 48


class Previews:
    def __init__(
        self,
        db: Database,
        spots: Spots,
        stations: Stations,
        choosing: Choosing,
        catalogue: Catalogue,
        clock: Callable[[], float] = clocks.time,
    ) -> None:
        self._db = db
        self._spots = spots
        self._stations = stations
        self._choosing = choosing
        self._catalogue = catalogue
        self._clock = clock

    async def show(self, user: int, wanted: PreviewRequest) -> Preview:
        spot = await self._spots.one(user, wanted.favorite)
        check(wanted.alarm)
        self._choosing.require(wanted.alarm.model, spot.lat, spot.lon)
        rule = rule_of(wanted.alarm, spot)
        model = await self._choosing.model_for(
            spot.lat, spot.lon, rule.lead_hours, wanted.alarm.model
        )
        past = await self._past(spot, rule, model)
        run = self._catalogue.newest(model) if model else None
        if run is None:
            return Preview([], past, spot.timezone)
        watched = Watched(spot.id, spot.lat, spot.lon, 0, False, (), rule)
        found = await asyncio.to_thread(windows_in, run, [watched], self._clock())
        return Preview(shown(found.get(spot.id, ())), past, spot.timezone, model, run.run)

    async def _past(self, spot: Favorite, rule: Rule, model: str | None) -> Past:
        """By measurements; where too few are kept by what was forecast for the next half day."""
        now = int(self._clock())
        since = now - PAST_DAYS * _DAY
        station = await self._station(spot)
        if station is None:
            return Past("none", since, now, 0, [])
        # Here and not above: a service without any run need not load numpy.
        from quartet.wind.alerts.past import forecast, looked_back, measured

        rows = await self._db.read(observations.between, station.id, since, now)
        weather = await asyncio.to_thread(measured, rows, since, now)
        hours, windows = await asyncio.to_thread(looked_back, rule, weather)
        if hours >= _FEWEST_HOURS:
            return Past("measurements", since, now, hours, shown(windows), station.slug)
        kept = await self._db.read(rankings.of_station, station.id, since - _DAY)
        mine = [(run, packed) for name, run, packed in kept if name == model]
        weather = await asyncio.to_thread(forecast, mine, since, now)
        hours, windows = await asyncio.to_thread(looked_back, rule, weather)
        if hours >= _FEWEST_HOURS:
            return Past("forecasts", since, now, hours, shown(windows), station.slug)
        return Past("none", since, now, 0, [])

    async def _station(self, spot: Favorite) -> Known | None:
        """The one the person chose, or the next one."""
        if spot.station is not None:
            return await self._stations.by_slug(spot.station)
        near = self._stations.nearest(Coordinates(spot.lat, spot.lon))
        if near is None:
            return None
        return (await self._stations.by_ids([near.station])).get(near.station)


def rule_of(alarm: AlarmChange, spot: Favorite) -> Rule:
    sectors = spot.directions if alarm.directions is None else alarm.directions
    return Rule(
        alarm.wind_min,
        alarm.wind_max,
        alarm.gust_max,
        [(sector.start, sector.end) for sector in sectors],
        alarm.hours.start,
        alarm.hours.end,
        store.bits_of(alarm.weekdays),
        alarm.lead_hours,
        alarm.min_hours,
        spot.timezone,
    )


def shown(windows: Sequence[Window]) -> list[AlarmWindow]:
    return [
        AlarmWindow(each.start, each.end, each.wind_low, each.wind_high, each.direction, each.gust)
        for each in windows
    ]
