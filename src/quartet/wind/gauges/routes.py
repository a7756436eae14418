from typing import Annotated

from litestar import get
from litestar.params import QueryParameter

from quartet.kernel.web import PUBLIC, Given, Request
from quartet.wind.gauges.service import Gauges
from quartet.wind.gauges.types import Near
from quartet.wind.places.coordinates import parse_coordinates

Latitude = Annotated[str | None, QueryParameter(name="lat", description="Degrees, -90 to 90.")]
Longitude = Annotated[str | None, QueryParameter(name="lon", description="Degrees, -180 to 180.")]


@get("/api/gauges/near", **PUBLIC)
async def near(
    request: Request, gauges: Given[Gauges], lat: Latitude = None, lon: Longitude = None
) -> Near:
    """The water gauge within 15 km of a place, with its last seven days."""
    query = request.query_params
    place = parse_coordinates(query.getall("lat", []), query.getall("lon", []))
    return await gauges.near(place)


ROUTES = [near]
