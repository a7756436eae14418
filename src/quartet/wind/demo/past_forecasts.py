"""Forecasts of the last days, so that the models of the demo can be ranked."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator

import numpy as np

from quartet.kernel.supervisor import BackgroundTask
from quartet.wind.demo.errors import ERRORS, forecast_at
from quartet.wind.demo.measurements import DAYS, Spots, demo_spots
from quartet.wind.demo.past_issues import past_issues
from quartet.wind.leadership import WORK
from quartet.wind.models.types import Model
from quartet.wind.observations.cdc import KNOTS
from quartet.wind.ranking.hours import LEADS, LeadTimeHours, pack
from quartet.wind.ranking.service import RUN_HOURS, Rankings
from quartet.wind.ranking.store import Kept
from quartet.wind.stations.service import Stations
from quartet.wind.verification.store import Issued

_HOUR = 3600

# Stores forecasts as they were issued.
Archive = Callable[[list[Issued]], Awaitable[None]]


class DemoForecasts:
    def __init__(
        self,
        stations: Stations,
        rankings: Rankings,
        models: tuple[Model, ...],
        clock: Callable[[], float],
        archive: Archive,
    ) -> None:
        self._archive = archive
        self._stations = stations
        self._rankings = rankings
        self._models = models
        self._clock = clock

    def loop(self) -> BackgroundTask:
        return BackgroundTask("demo ranking", self.keep, exclusive=WORK)

    async def keep(self) -> None:
        await self._stations.loaded.wait()
        spots = demo_spots(await self._stations.everything())
        now = int(self._clock()) // _HOUR * _HOUR
        # Newest first, so that a ranking appears as soon as possible.
        hours = range(now, now - DAYS * 24 * _HOUR, -_HOUR)
        past: list[Kept] = []
        for run in (time for time in hours if time // _HOUR % 24 in RUN_HOURS):
            rows = await asyncio.to_thread(rows_of_run, self._models, run, spots)
            await self._rankings.add(rows)
            past += rows
        models = [model.id for model in self._models]
        await self._archive(await asyncio.to_thread(past_issues, spots, models, past, now))


def rows_of_run(models: tuple[Model, ...], run: int, spots: Spots) -> list[Kept]:
    return [row for model in models if model.id in ERRORS for row in _rows(model, run, spots)]


def _rows(model: Model, run: int, spots: Spots) -> Iterator[Kept]:
    wind = np.full((len(spots.stations), LEADS), np.nan)
    direction = wind.copy()
    for step in (step for step in model.steps_of(run) if step < LEADS):
        told = forecast_at(model.id, run, spots.lats, spots.lons, run + step * _HOUR)
        wind[:, step] = np.hypot(told.u, told.v) * KNOTS
        direction[:, step] = np.degrees(np.arctan2(-told.u, -told.v)) % 360
    area = model.area
    for number, station in enumerate(spots.stations):
        inside = area is None or (
            area.w <= station.lon <= area.e and area.s <= station.lat <= area.n
        )
        if inside:
            yield station.id, model.id, run, pack(LeadTimeHours(wind[number], direction[number]))
