from typing import Annotated

from litestar import get
from litestar.params import QueryParameter

from quartet.kernel.web import PUBLIC, Injected, Request
from quartet.wind.blend.answers import BestForecasts
from quartet.wind.blend.types import BestForecast
from quartet.wind.forecasts.routes import SurfaceParameter
from quartet.wind.places.coordinates import parse_coordinates
from quartet.wind.places.routes_parameters import Latitude, Longitude

Least = Annotated[
    float | None,
    QueryParameter(name="wind", ge=0, le=150, description="Knots whose probability is asked for."),
]


@get("/api/best", **PUBLIC)
async def best(
    request: Request,
    best_forecasts: Injected[BestForecasts],
    lat: Latitude = None,
    lon: Longitude = None,
    surface: SurfaceParameter = "auto",
    wind: Least = None,
) -> BestForecast:
    """Best, the calibrated blend of all models, for any place, with its uncertainty."""
    query = request.query_params
    place = parse_coordinates(query.getall("lat", []), query.getall("lon", []))
    return await best_forecasts.at(place, wind, None if surface == "auto" else surface)


ROUTES = [best]
