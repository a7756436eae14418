"""Forecasts of all models, and their age."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple, cast

from msgspec import UNSET, UnsetType

from quartet.kernel.errors import Problem
from quartet.wind.forecasts.types import (
    EnsembleSeries,
    Fetching,
    ForecastSeries,
    ModelInfo,
    ModelList,
    Run,
    Trouble,
    UsedSurface,
    WantedSurface,
    WaveSeries,
)
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.ingest.service import Ingest
from quartet.wind.models.types import Model
from quartet.wind.places.coordinates import Coordinates

if TYPE_CHECKING:
    from quartet.wind.grid.forecast import Forecast


class SeriesOnSurface(NamedTuple):
    """The series of a place; `surface` is set where it makes a difference."""

    series: list[ForecastSeries]
    surface: UsedSurface | UnsetType = UNSET


class _Served(NamedTuple):
    """The forecasts of wind, of waves and of ensembles, and the models whose run is outdated."""

    version: tuple[int, int]
    wind: list["Forecast"]
    waves: list["Forecast"]
    ensembles: list["Forecast"]
    outdated: frozenset[str]


class Forecasts:
    def __init__(self, catalogue: Catalogue, ingest: Ingest, clock: Callable[[], float]) -> None:
        self._catalogue = catalogue
        self._ingest = ingest
        self._clock = clock
        self._served_then = _Served((-1, -1), [], [], [], frozenset())

    def version(self) -> tuple[int, int]:
        """Return the number of changes of the served runs, and the minute."""
        return self._catalogue.changes, int(self._clock()) // 60

    def models(self) -> ModelList:
        waves = [self._info(model) for model in self._ingest.wave_models]
        ensembles = [self._info(model) for model in self._ingest.ensembles]
        return ModelList(
            [self._info(model) for model in self._ingest.wind_models], waves, ensembles
        )

    def series(self, place: Coordinates) -> list[ForecastSeries]:
        """Return the series of every model whose area contains the place, finest model first."""
        return self.at(place).series

    def at(self, place: Coordinates, wanted: WantedSurface = "auto") -> SeriesOnSurface:
        """Return the series at a place, near a coast those of the wanted surface."""
        served = self._served()
        if not served.wind:
            return SeriesOnSurface([])
        # Imported here: a service without any run need not load numpy.
        from quartet.wind.forecasts.series import series_at

        surface = self._catalogue.water_spots.surface_of(*place) if wanted == "auto" else wanted
        found = series_at(place.lat, place.lon, served.wind, served.outdated, surface)
        if found is None:
            return SeriesOnSurface([])
        # The result is JSON already; the type documents the answer.
        series = cast(list[ForecastSeries], found.json)
        return SeriesOnSurface(series, surface or "mixed" if found.coast else UNSET)

    def waves(self, place: Coordinates) -> list[WaveSeries] | UnsetType:
        """Return the waves of every model that has a point at sea next to the place."""
        served = self._served()
        if not served.waves:
            return UNSET
        from quartet.wind.forecasts.waves import waves_json

        found = waves_json(place.lat, place.lon, served.waves, served.outdated)
        return UNSET if found is None else cast(list[WaveSeries], found)

    def ensembles(self, place: Coordinates) -> list[EnsembleSeries] | UnsetType:
        """Return the quantiles of every ensemble that has the place."""
        served = self._served()
        if not served.ensembles:
            return UNSET
        from quartet.wind.forecasts.ensembles import ensembles_json

        found = ensembles_json(place.lat, place.lon, served.ensembles)
        return UNSET if found is None else cast(list[EnsembleSeries], found)

    def _served(self) -> _Served:
        """Return what is served, looked up once per minute and change of the runs."""
        version = self.version()
        if self._served_then.version != version:
            known, ingest = self._catalogue.forecasts, self._ingest

            def of(models: Iterable[Model]) -> "list[Forecast]":
                return [known[model.id] for model in models if model.id in known]

            now = self._clock()
            longest = {each.id: each.longest for each in (*ingest.wind_models, *ingest.wave_models)}
            outdated = (each for each in longest if each in known)
            self._served_then = _Served(
                version,
                of(ingest.wind_models),
                of(ingest.wave_models),
                of(ingest.ensembles),
                frozenset(each for each in outdated if now - known[each].run > longest[each]),
            )
        return self._served_then

    def data_age(self) -> dict[str, int | None]:
        """Return the seconds since the start time of the newest run of each model."""
        return {model.id: self._age(model) for model in self._ingest.models}

    def _age(self, model: Model) -> int | None:
        newest = self._catalogue.newest(model.id)
        return int(self._clock() - newest.run) if newest else None

    def _info(self, model: Model) -> ModelInfo:
        state = self._ingest.state(model.id)
        coming = state.incoming
        return ModelInfo(
            model.id,
            model.name,
            model.provider,
            model.credit,
            model.resolution_km,
            model.area,
            self._reach_hours(model),
            model.step_hours,
            self._runs(model),
            self._ingest.is_late(model),
            Fetching(coming.run, coming.done, coming.steps) if coming else None,
            _trouble(state.error),
        )

    def _reach_hours(self, model: Model) -> int:
        """Return the longest lead time that is served, or the usual one without any run."""
        forecast = self._catalogue.forecast(model.id)
        return forecast.reach_hours if forecast else model.reach_hours

    def _runs(self, model: Model) -> list[Run]:
        now = self._clock()
        runs = [
            Run(each.run, len(each.times), not each.header.partial, int(now - each.run))
            for each in self._catalogue.runs(model.id)
        ]
        incoming = self._ingest.state(model.id).incoming
        if incoming is not None and incoming.done:
            runs.insert(0, Run(incoming.run, incoming.done, False, int(now - incoming.run)))
        return runs


def _trouble(error: Problem | None) -> Trouble | None:
    """Say what visitors may know about an error, without the addresses of the operator."""
    if error is None:
        return None
    code = error.inputs.get("reason") if error.code == "run_incomplete" else error.code
    if code == "weather_refused":
        return "bad_data"
    return None if code in ("not_yet", "disk_full", "disk_failed") else "no_answer"
