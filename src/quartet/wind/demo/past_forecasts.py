"""Forecasts of the last days, so that the models of the demo can be ranked."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator

import numpy as np

from quartet.kernel.supervisor import BackgroundTask
from quartet.wind.demo.errors import ERRORS, forecast_at
from quartet.wind.demo.measurements import DAYS, StationPoints, demo_spots
from quartet.wind.demo.past_issues import past_issues
from quartet.wind.demo.spread import WIND_OF, quantile_factors
from quartet.wind.leadership import WORK
from quartet.wind.models.types import Model
from quartet.wind.observations.cdc import KNOTS
from quartet.wind.ranking.hours import LEADS, LeadTimeHours, pack, pack_spread
from quartet.wind.ranking.service import RUN_HOURS, Rankings
from quartet.wind.ranking.store import Kept
from quartet.wind.stations.service import Stations
from quartet.wind.stations.types import KnownStation
from quartet.wind.verification.store import Issued

_HOUR = 3600

# Best learns from this many days before the first forecast that is verified, as on a site that has
# run for a while. They are not stored.
LESSON_DAYS = 10

# Stores forecasts as they were issued.
Archive = Callable[[list[Issued]], Awaitable[None]]
Fetched = Callable[[], Awaitable[tuple[Model, ...]]]


class DemoForecasts:
    def __init__(
        self,
        stations: Stations,
        rankings: Rankings,
        models: Fetched,
        clock: Callable[[], float],
        archive: Archive,
        lesson_days: int = LESSON_DAYS,
    ) -> None:
        self._lesson_days = lesson_days
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
        models = await self._models()
        past: list[Kept] = []
        stored = now - DAYS * 24 * _HOUR
        # Newest first, so that a ranking appears as soon as possible.
        for run in runs_between(now - (DAYS + self._lesson_days) * 24 * _HOUR, now):
            rows = await asyncio.to_thread(rows_of_run, models, run, spots)
            if run > stored:
                await self._rankings.add(rows)
            past += rows
        issued = await asyncio.to_thread(self._issued, models, past, spots, now)
        await self._archive(issued)

    @staticmethod
    def _issued(
        models: tuple[Model, ...], past: list[Kept], spots: StationPoints, now: int
    ) -> list[Issued]:
        winds = [model.id for model in models if model.has_wind]
        ensembles = [model.id for model in models if model.is_ensemble]
        return past_issues(spots, winds, past, now, ensembles, now - DAYS * 24 * _HOUR)


def runs_between(first: int, last: int) -> list[int]:
    """Return the times of the runs that are kept, newest first."""
    return [time for time in range(last, first, -_HOUR) if time // _HOUR % 24 in RUN_HOURS]


def rows_of_run(models: tuple[Model, ...], run: int, spots: StationPoints) -> list[Kept]:
    found = [row for model in models if model.id in ERRORS for row in _rows(model, run, spots)]
    ensembles = (model for model in models if model.id in WIND_OF)
    return [*found, *(row for model in ensembles for row in _spread_rows(model, run, spots))]


def _rows(model: Model, run: int, spots: StationPoints) -> Iterator[Kept]:
    wind = np.full((len(spots.stations), LEADS), np.nan)
    direction = wind.copy()
    for step in (step for step in model.steps_of(run) if step < LEADS):
        vector = forecast_at(model.id, run, spots.lats, spots.lons, run + step * _HOUR)
        wind[:, step] = np.hypot(vector.u, vector.v) * KNOTS
        direction[:, step] = np.degrees(np.arctan2(-vector.u, -vector.v)) % 360
    for number, station in _inside(model, spots):
        yield station.id, model.id, run, pack(LeadTimeHours(wind[number], direction[number]))


def _spread_rows(model: Model, run: int, spots: StationPoints) -> Iterator[Kept]:
    steps = [step for step in model.steps_of(run) if step < LEADS]
    factors = np.stack([quantile_factors(run, step) for step in steps], axis=1)
    winds = [
        forecast_at(WIND_OF[model.id], run, spots.lats, spots.lons, run + step * _HOUR)
        for step in steps
    ]
    speeds = np.stack([np.hypot(each.u, each.v) * KNOTS for each in winds], axis=1)
    for number, station in _inside(model, spots):
        quantiles = np.asarray(factors * speeds[number], np.float32)
        packed = pack_spread(quantiles, np.array(steps))
        if packed is not None:
            yield station.id, model.id, run, packed


def _inside(model: Model, spots: StationPoints) -> Iterator[tuple[int, KnownStation]]:
    """Yield the stations that a model covers, each with its number."""
    area = model.area
    for number, station in enumerate(spots.stations):
        if area is None or (area.w <= station.lon <= area.e and area.s <= station.lat <= area.n):
            yield number, station
