from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from quartet.wind.gauges.types import NearTides
from quartet.wind.grid.geometry import Area
from quartet.wind.ranking.types import Nearest, Ranking
from quartet.wind.stations.types import Station

# Limitations of a series; only the most important one is given.
SeriesNotice = Literal["outdated", "partial", "gust_missing", "gust_partial"]
PointNotice = Literal["no_forecast"]
# The points of a model that count near a coast; `auto` takes those at sea for known spots.
WantedSurface = Literal["auto", "sea", "land"]
UsedSurface = Literal["sea", "land", "mixed"]


class Run(msgspec.Struct, frozen=True):
    """`steps` is the number of hours available; `age` is in seconds since the start of the run."""

    run: int
    steps: int
    complete: bool
    age: int


class Fetching(msgspec.Struct, frozen=True):
    """A run that is being fetched, with its number of steps; it is served once they are there."""

    run: int
    done: int
    steps: int


# Why there is no newer run, unless the weather service merely has not published it yet.
Trouble = Literal["no_answer", "bad_data"]


class ModelInfo(msgspec.Struct, frozen=True, rename="camel"):
    """`area` is null for a model of the whole world; `attribution` must be shown with its data.

    `late` is set without any run, or if a newer one should have arrived more than a run ago.
    """

    id: str
    name: str
    provider: str
    attribution: str
    resolution_km: float
    area: Area | None
    reach_hours: int
    step_hours: int
    runs: list[Run]
    late: bool
    fetching: Fetching | None
    trouble: Trouble | None


class ModelList(msgspec.Struct, frozen=True):
    """The models of wind, finest first, those of waves, and the ensembles that are fetched."""

    models: list[ModelInfo]
    waves: list[ModelInfo]
    ensembles: list[ModelInfo]


class SeriesPart(msgspec.Struct, frozen=True):
    """The values from the Unix time `since` on come from this run."""

    run: int
    since: int


class ForecastSeries(msgspec.Struct, frozen=True, omit_defaults=True):
    """Knots, degrees the wind comes from in steps of 5, Unix seconds; null for no value.

    Gusts are in half knots, but never below the wind. `temperature` is in degrees Celsius,
    `precipitation` in millimetres since the previous time, `cloud` in percent of the sky,
    `pressure` in hPa at sea level. `symbol` is a code of the WMO's table 4677, plus 100 at night.
    A model without a field, or an older run, leaves it out.
    `parts` is present if an older run continues the newest one, which does not reach as far.
    """

    model: str
    run: int
    times: list[int]
    wind: list[float | None]
    gust: list[float | None]
    direction: list[int | None]
    temperature: list[int | None] | None = None
    precipitation: list[float | None] | None = None
    cloud: list[int | None] | None = None
    pressure: list[int | None] | None = None
    symbol: list[int | None] | None = None
    notice: SeriesNotice | None = None
    parts: list[SeriesPart] | None = None


class WaveSeries(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Waves at `lat` and `lon`, the point of the model at sea that is next to the place.

    Heights are significant heights in metres; periods are those of the peak, in seconds; directions
    are degrees the waves come from. `swell` is the highest swell. A model without a field leaves it
    out.
    """

    model: str
    run: int
    times: list[int]
    lat: float
    lon: float
    height: list[float | None]
    period: list[int | None] | None = None
    direction: list[int | None] | None = None
    swell_height: list[float | None] | None = None
    swell_period: list[int | None] | None = None
    swell_direction: list[int | None] | None = None
    notice: Literal["outdated", "partial"] | None = None
    parts: list[SeriesPart] | None = None


class EnsembleSeries(msgspec.Struct, frozen=True, omit_defaults=True):
    """Wind in knots that 10, 50 and 90 % of the members are below, as published; null for none."""

    model: str
    run: int
    times: list[int]
    p10: list[float | None]
    p50: list[float | None]
    p90: list[float | None]
    parts: list[SeriesPart] | None = None


class StationForecast(msgspec.Struct, frozen=True):
    """The forecasts of all models for a station, and how accurate they were there.

    `waves` are present near the sea, `tide` next to a tidal gauge, `surface` near a coast: it says
    whether the forecasts are of points at sea, on land, or interpolated between both.
    """

    station: Station
    forecasts: list[ForecastSeries]
    ranking: Ranking
    waves: list[WaveSeries] | UnsetType = UNSET
    tide: NearTides | UnsetType = UNSET
    surface: UsedSurface | UnsetType = UNSET


class PointForecast(msgspec.Struct, frozen=True):
    """`nearest` is null if there is no station nearby; `waves` are present near the sea.

    `surface` is present near a coast and says whether the forecasts are of points at sea, on land,
    or interpolated between both. `ensembles` are present if the site fetches any for this place.
    """

    lat: float
    lon: float
    forecasts: list[ForecastSeries]
    nearest: Nearest | None
    notice: PointNotice | UnsetType = UNSET
    waves: list[WaveSeries] | UnsetType = UNSET
    surface: UsedSurface | UnsetType = UNSET
    ensembles: list[EnsembleSeries] | UnsetType = UNSET
