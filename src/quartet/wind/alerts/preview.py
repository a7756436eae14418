"""Previews an alert: windows in the current forecast and in the past weeks."""

import asyncio
import time as clocks
from collections.abc import Callable, Sequence

from quartet.kernel.db import Database
from quartet.wind.alerts import store
from quartet.wind.alerts.checks import check
from quartet.wind.alerts.evaluation import blend_inputs, unchecked_in, windows_in
from quartet.wind.alerts.model_choice import ModelChoice
from quartet.wind.alerts.store_windows import WatchedAlert
from quartet.wind.alerts.types import (
    AlarmChange,
    AlarmWindow,
    AlertWindow,
    Past,
    Preview,
    PreviewRequest,
    Rule,
)
from quartet.wind.blend.answers import BestForecasts
from quartet.wind.blend.types import BEST
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.observations import store as observations
from quartet.wind.places.coordinates import Coordinates
from quartet.wind.ranking import store as rankings
from quartet.wind.spots.service import Spots
from quartet.wind.spots.types import Favorite
from quartet.wind.stations.service import Stations
from quartet.wind.stations.types import KnownStation

PAST_DAYS = 30
_DAY = 86400
# Fewer hours are not representative.
_FEWEST_HOURS = 48


class Previews:
    def __init__(
        self,
        db: Database,
        spots: Spots,
        stations: Stations,
        model_choice: ModelChoice,
        catalogue: Catalogue,
        clock: Callable[[], float] = clocks.time,
        best: BestForecasts | None = None,
    ) -> None:
        self._db = db
        self._spots = spots
        self._stations = stations
        self._model_choice = model_choice
        self._catalogue = catalogue
        self._clock = clock
        self._best = best

    async def show(self, user: int, wanted: PreviewRequest) -> Preview:
        spot = await self._spots.one(user, wanted.favorite)
        check(wanted.alarm)
        self._model_choice.require(wanted.alarm.model, spot.lat, spot.lon)
        rule = rule_of(wanted.alarm, spot)
        model = await self._model_choice.model_for(
            spot.lat, spot.lon, rule.lead_hours, wanted.alarm.model
        )
        past = await self._past(spot, rule, model)
        run = self._catalogue.forecast(model) if model else None
        if run is None:
            return Preview([], past, spot.timezone)
        follows_best = self._best is not None and wanted.alarm.model is None
        watched = WatchedAlert(spot.id, spot.lat, spot.lon, 0, False, (), rule, follows_best)
        inputs = await blend_inputs(self._best, [watched])
        now, waves = self._clock(), self._catalogue.wave_forecasts
        found = await asyncio.to_thread(windows_in, run, [watched], now, waves, inputs)
        unchecked = await asyncio.to_thread(unchecked_in, run, watched, now, waves)
        windows = shown(found.get(spot.id, ()))
        shown_model = BEST if inputs is not None else model
        return Preview(windows, past, spot.timezone, shown_model, run.run, unchecked or None)

    async def _past(self, spot: Favorite, rule: Rule, model: str | None) -> Past:
        """Use measurements; if there are too few, use the forecasts for the next twelve hours."""
        now = int(self._clock())
        since = now - PAST_DAYS * _DAY
        station = await self._station(spot)
        if station is None:
            return Past("none", since, now, 0, [])
        # Imported here so that a service without runs does not load numpy.
        from quartet.wind.alerts.past_wind import from_forecasts, from_measurements, past_windows

        rows = await self._db.read(observations.between, station.id, since, now)
        weather = await asyncio.to_thread(from_measurements, rows, since, now)
        hours, windows = await asyncio.to_thread(past_windows, rule, weather)
        if hours >= _FEWEST_HOURS:
            return Past("measurements", since, now, hours, shown(windows), station.slug)
        kept = await self._db.read(rankings.of_station, station.id, since - _DAY)
        mine = [(run, packed) for name, run, packed in kept if name == model]
        weather = await asyncio.to_thread(from_forecasts, mine, since, now)
        hours, windows = await asyncio.to_thread(past_windows, rule, weather)
        if hours >= _FEWEST_HOURS:
            return Past("forecasts", since, now, hours, shown(windows), station.slug)
        return Past("none", since, now, 0, [])

    async def _station(self, spot: Favorite) -> KnownStation | None:
        """Return the station chosen for the spot, or the nearest one."""
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
        alarm.rain_max,
        alarm.temperature_min,
        alarm.wave_max,
        alarm.chance_min,
    )


def shown(windows: Sequence[AlertWindow]) -> list[AlarmWindow]:
    return [
        AlarmWindow(each.start, each.end, each.wind_low, each.wind_high, each.direction, each.gust)
        for each in windows
    ]
