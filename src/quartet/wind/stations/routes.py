from typing import Annotated

from litestar import get
from litestar.params import QueryParameter

from quartet.kernel.web import PUBLIC, Injected
from quartet.wind.stations.service import Stations
from quartet.wind.stations.types import Found

Text = Annotated[str, QueryParameter(name="q", description="A name, a code or coordinates.")]
Language = Annotated[str, QueryParameter(name="lang", description="Language of place names.")]


@get("/api/stations", **PUBLIC)
async def find(stations: Injected[Stations], text: Text = "", language: Language = "en") -> Found:
    """Stations by name or code, places by name, and coordinates."""
    return await stations.find(text, language[:2].lower())


ROUTES = [find]
