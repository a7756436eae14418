from typing import Annotated

from litestar import Response, get
from litestar.params import QueryParameter

from quartet.kernel.service import header
from quartet.kernel.web import PUBLIC, Injected, Request
from quartet.wind.languages import language_of
from quartet.wind.places.routes_parameters import Latitude, Longitude
from quartet.wind.units import WindUnit
from quartet.wind.widgets.service import WidgetPlace, Widgets
from quartet.wind.widgets.types import Widget, WidgetLook, WidgetTheme

# The page that other sites may show in a frame.
EMBED_PATH = "/embed"
# What pages of other sites may read, if the setting allows it.
JSON_PATH = "/api/widget"

StationSlug = Annotated[
    str | None, QueryParameter(name="station", description="Slug of a station, or use lat and lon.")
]
Name = Annotated[str, QueryParameter(name="name", description="Title of a point.")]
Language = Annotated[str | None, QueryParameter(name="lang", description="en or de.")]
Unit = Annotated[WindUnit, QueryParameter(name="unit", description="Unit of the wind.")]
Theme = Annotated[WidgetTheme, QueryParameter(name="theme", description="Colours.")]


async def _place(request: Request, widgets: Widgets, slug: str | None, name: str) -> WidgetPlace:
    query = request.query_params
    return await widgets.place(slug, query.getall("lat", []), query.getall("lon", []), name)


def _look(request: Request, lang: str | None, unit: WindUnit, theme: WidgetTheme) -> WidgetLook:
    return WidgetLook(language_of(lang, header(request, "accept-language")), unit, theme)


def _cached(body: str | bytes, kind: str, seconds: int = 300) -> Response[str | bytes]:
    # As a header: a page depends on the language of the browser.
    headers = {"cache-control": f"public, max-age={seconds}", "vary": "accept-language"}
    return Response(body, headers={**headers, "content-type": kind})


@get(JSON_PATH, **PUBLIC)
async def widget(
    request: Request,
    widgets: Injected[Widgets],
    station: StationSlug = None,
    lat: Latitude = None,
    lon: Longitude = None,
    name: Name = "",
) -> Widget:
    """Best at a place in a simple form, for home automation."""
    return await widgets.json(await _place(request, widgets, station, name))


@get(EMBED_PATH, include_in_schema=False, **PUBLIC)
async def embed(
    request: Request,
    widgets: Injected[Widgets],
    station: StationSlug = None,
    name: Name = "",
    lang: Language = None,
    unit: Unit = "kn",
    theme: Theme = "auto",
) -> Response[str | bytes]:
    """The forecast of a place as a page for frames of other sites."""
    place = await _place(request, widgets, station, name)
    at = place.place
    link = f"station/{place.station}" if place.station else f"point?lat={at.lat}&lon={at.lon}"
    look = _look(request, lang, unit, theme)
    return _cached(await widgets.page(place, look, link), "text/html; charset=utf-8")


@get("/embed.svg", include_in_schema=False, **PUBLIC)
async def embed_svg(
    request: Request,
    widgets: Injected[Widgets],
    station: StationSlug = None,
    name: Name = "",
    lang: Language = None,
    unit: Unit = "kn",
    theme: Theme = "auto",
) -> Response[str | bytes]:
    """The forecast of a place as a vector picture."""
    place = await _place(request, widgets, station, name)
    return _cached(await widgets.svg(place, _look(request, lang, unit, theme)), "image/svg+xml")


@get("/embed.png", include_in_schema=False, **PUBLIC)
async def embed_png(
    request: Request,
    widgets: Injected[Widgets],
    station: StationSlug = None,
    name: Name = "",
    unit: Unit = "kn",
) -> Response[str | bytes]:
    """The forecast of a place as a picture."""
    place = await _place(request, widgets, station, name)
    return _cached(await widgets.png(place, unit), "image/png")


@get("/display", include_in_schema=False, **PUBLIC)
async def display(
    request: Request,
    widgets: Injected[Widgets],
    station: StationSlug = None,
    name: Name = "",
    lang: Language = None,
    unit: Unit = "kn",
    theme: Theme = "auto",
) -> Response[str | bytes]:
    """A page for the screen of a club, which reloads."""
    place = await _place(request, widgets, station, name)
    page = await widgets.display(place, _look(request, lang, unit, theme))
    return _cached(page, "text/html; charset=utf-8", 60)


ROUTES = [widget, embed, embed_svg, embed_png, display]
