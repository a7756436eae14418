from typing import Annotated, Any

from litestar import HttpMethod, Response, get, route
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, QueryParameter
from litestar.types import Receive, Scope, Send

from quartet.kernel.errors import AppError
from quartet.kernel.service import header
from quartet.kernel.web import PUBLIC, Injected, Request
from quartet.wind.gauges.service import Gauges
from quartet.wind.http_caching import FOR_EVER, matches_etag
from quartet.wind.map.service import WantedHour, WindMap
from quartet.wind.map.types import GaugePins, Meta, Overview, PlaceSeries, StationPins
from quartet.wind.observations.service import Observations
from quartet.wind.places.coordinates import parse_coordinates
from quartet.wind.places.routes_parameters import Latitude, Longitude

_KINDS = {"png": "image/png", "json": "application/json"}
_READ = [HttpMethod.GET, HttpMethod.HEAD]
Layer = Annotated[
    str,
    QueryParameter(
        description="gust, temperature, precipitation, cloud, pressure or, of a wave model, waves;"
        " the wind if it is empty."
    ),
]
_TEXTURE: dict[str, Any] = {
    "http_method": _READ,
    "responses": {200: ResponseSpec(Meta, description="As .png the texture itself.")},
    **PUBLIC,
}


@get("/api/map", **PUBLIC)
async def overview(wind_map: Injected[WindMap]) -> Overview:
    """The hours of each model, their areas, and the extents of basemap and relief."""
    return await wind_map.overview()


@get("/api/map/series", **PUBLIC)
async def series(
    request: Request, wind_map: Injected[WindMap], lat: Latitude = None, lon: Longitude = None
) -> PlaceSeries:
    """Wind, gust and direction of every model at a place, for all hours."""
    query = request.query_params
    return wind_map.series(parse_coordinates(query.getall("lat", []), query.getall("lon", [])))


@get("/api/map/stations", **PUBLIC)
async def station_pins(observations: Injected[Observations]) -> StationPins:
    """Stations that report, with their latest wind."""
    return StationPins(await observations.pins())


@get("/api/map/gauges", **PUBLIC)
async def gauge_pins(gauges: Injected[Gauges]) -> GaugePins:
    """Gauges with water level and state."""
    return GaugePins(await gauges.pins())


@route("/api/map/{model:str}/{run:str}/{file:str}", **_TEXTURE)
async def hour(
    request: Request,
    wind_map: Injected[WindMap],
    model: FromPath[str],
    run: FromPath[str],
    file: FromPath[str],
    layer: Layer = "",
) -> Response[bytes]:
    """One hour: `{step}.png` is its texture, `{step}.json` describes how to read it."""
    step, kind = _name(file)
    wanted = await wind_map.found(model, run, step, layer=layer)
    return await _answer(request, wind_map, wanted, kind)


@route("/api/map/{model:str}/{run:str}/{step:str}/{file:str}", **_TEXTURE)
async def piece(
    request: Request,
    wind_map: Injected[WindMap],
    model: FromPath[str],
    run: FromPath[str],
    step: FromPath[str],
    file: FromPath[str],
    layer: Layer = "",
) -> Response[bytes]:
    """A piece `{w}_{s}_{e}_{n}` of an hour of a model of the whole world, as .png or .json."""
    box, kind = _name(file)
    wanted = await wind_map.found(model, run, step, box, layer)
    return await _answer(request, wind_map, wanted, kind)


def _name(file: str) -> tuple[str, str]:
    name, _, kind = file.rpartition(".")
    if kind not in _KINDS:
        raise AppError(404, "not_found")
    return name, kind


class _Sent(Response[bytes]):
    """A response without the overhead of Litestar's own, because textures are requested often."""

    def to_asgi_response(self, app: Any, request: Request, **_options: Any) -> Any:
        length = str(len(self.content)).encode()
        headers = [(name.encode(), value.encode()) for name, value in self.headers.items()]

        async def send_it(_scope: Scope, _receive: Receive, send: Send) -> None:
            headers.append((b"content-length", length))
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": self.content, "more_body": False})

        return send_it


async def _answer(
    request: Request, wind_map: WindMap, wanted: WantedHour, kind: str
) -> Response[bytes]:
    tag = wanted.tag
    headers = {"etag": tag, "cache-control": FOR_EVER}
    if matches_etag(header(request, "if-none-match"), tag):
        return Response(b"", status_code=304, headers=headers)
    texture = await wind_map.texture(wanted)
    headers["content-type"] = _KINDS[kind]
    return _Sent(texture.png if kind == "png" else texture.meta, headers=headers)


ROUTES = [overview, series, station_pins, gauge_pins, hour, piece]
