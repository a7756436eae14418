from typing import Annotated

from litestar import get
from litestar.params import QueryParameter

from quartet.kernel.web import PUBLIC, Given, Request
from quartet.wind.forecasts.service import Forecasts
from quartet.wind.forecasts.types import ModelList, PointForecast
from quartet.wind.places.coordinates import parse_coordinates

Latitude = Annotated[str | None, QueryParameter(name="lat", description="Degrees, -90 to 90.")]
Longitude = Annotated[str | None, QueryParameter(name="lon", description="Degrees, -180 to 180.")]


@get("/api/models", **PUBLIC)
async def models(forecasts: Given[Forecasts]) -> ModelList:
    """Resolution, area, reach and runs of every model."""
    return forecasts.models()


@get("/api/point", **PUBLIC)
async def point(
    request: Request, forecasts: Given[Forecasts], lat: Latitude = None, lon: Longitude = None
) -> PointForecast:
    """The forecast of every model for any place."""
    query = request.query_params
    return forecasts.point(parse_coordinates(query.getall("lat", []), query.getall("lon", [])))


ROUTES = [models, point]
