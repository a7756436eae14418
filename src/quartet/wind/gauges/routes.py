from litestar import get

from quartet.kernel.web import PUBLIC, Injected, Request
from quartet.wind.gauges.service import Gauges
from quartet.wind.gauges.types import Near
from quartet.wind.places.coordinates import parse_coordinates
from quartet.wind.places.routes_parameters import Latitude, Longitude


@get("/api/gauges/near", **PUBLIC)
async def near(
    request: Request, gauges: Injected[Gauges], lat: Latitude = None, lon: Longitude = None
) -> Near:
    """The water gauge within 15 km of a place, with its last seven days."""
    query = request.query_params
    place = parse_coordinates(query.getall("lat", []), query.getall("lon", []))
    return await gauges.near(place)


ROUTES = [near]
