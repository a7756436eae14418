from typing import Annotated

from litestar import get
from litestar.params import FromPath, QueryParameter
from msgspec import UNSET

from quartet.kernel.web import PUBLIC, Injected, Request
from quartet.wind.forecasts.points import Points
from quartet.wind.forecasts.service import Forecasts
from quartet.wind.forecasts.types import (
    ModelList,
    PointForecast,
    StationForecast,
    WantedSurface,
)
from quartet.wind.gauges.service import Gauges
from quartet.wind.places.coordinates import Coordinates, parse_coordinates
from quartet.wind.places.routes_parameters import Latitude, Longitude
from quartet.wind.ranking.service import Rankings
from quartet.wind.stations.service import Stations

SurfaceParameter = Annotated[
    WantedSurface,
    QueryParameter(
        name="surface", description="Near a coast: points at sea or on land; auto for known spots."
    ),
]


@get("/api/models", **PUBLIC)
async def models(forecasts: Injected[Forecasts]) -> ModelList:
    """Resolution, area, longest lead time and runs of every model."""
    return forecasts.models()


@get("/api/point", **PUBLIC)
async def point(
    request: Request,
    points: Injected[Points],
    lat: Latitude = None,
    lon: Longitude = None,
    surface: SurfaceParameter = "auto",
) -> PointForecast:
    """The forecast of every model for any place, the nearest station and its ranking."""
    query = request.query_params
    place = parse_coordinates(query.getall("lat", []), query.getall("lon", []))
    return await points.at(place, surface)


@get("/api/stations/{slug:str}", **PUBLIC)
async def station(
    slug: FromPath[str],
    stations: Injected[Stations],
    forecasts: Injected[Forecasts],
    rankings: Injected[Rankings],
    gauges: Injected[Gauges],
    surface: SurfaceParameter = "auto",
) -> StationForecast:
    """A station with its forecast of every model and its ranking."""
    known = await stations.by_slug(slug)
    place = Coordinates(known.lat, known.lon)
    (series, used), waves = forecasts.at(place, surface), forecasts.waves(place)
    ranking, tide = await rankings.of(known.id), await gauges.tides(place)
    return StationForecast(stations.shown(known), series, ranking, waves, tide or UNSET, used)


ROUTES = [models, point, station]
