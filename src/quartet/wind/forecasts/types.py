from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from quartet.wind.grid.geometry import Area
from quartet.wind.ranking.types import Nearest, Ranking
from quartet.wind.stations.types import Station

# Why a series is not what one could wish for; the weightiest is told.
SeriesNotice = Literal["outdated", "partial", "gust_missing", "gust_partial"]
PointNotice = Literal["no_forecast"]


class Run(msgspec.Struct, frozen=True):
    """`steps` hours are there; `age` are seconds since the time the run is for."""

    run: int
    steps: int
    complete: bool
    age: int


class ModelInfo(msgspec.Struct, frozen=True, rename="camel"):
    """`area` is null for a model of the whole world; `attribution` belongs beside its data."""

    id: str
    name: str
    provider: str
    attribution: str
    resolution_km: float
    area: Area | None
    reach_hours: int
    step_hours: int
    runs: list[Run]


class ModelList(msgspec.Struct, frozen=True):
    models: list[ModelInfo]


class SeriesPart(msgspec.Struct, frozen=True):
    """The values from the Unix time `since` on are of this run."""

    run: int
    since: int


class Series(msgspec.Struct, frozen=True, omit_defaults=True):
    """Knots, degrees the wind comes from, Unix seconds; null where the model has no value.

    `parts` is present if an older run continues the newest one, which does not reach as far.
    """

    model: str
    run: int
    times: list[int]
    wind: list[float | None]
    gust: list[float | None]
    direction: list[int | None]
    notice: SeriesNotice | None = None
    parts: list[SeriesPart] | None = None


class StationForecast(msgspec.Struct, frozen=True):
    """What every model says about a station, and which of them was right there."""

    station: Station
    forecasts: list[Series]
    ranking: Ranking


class PointForecast(msgspec.Struct, frozen=True):
    """`nearest` is null where no station is near."""

    lat: float
    lon: float
    forecasts: list[Series]
    nearest: Nearest | None
    notice: PointNotice | UnsetType = UNSET
