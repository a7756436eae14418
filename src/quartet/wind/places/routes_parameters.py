"""Query parameters of several routes."""

from typing import Annotated

from litestar.params import QueryParameter

Latitude = Annotated[str | None, QueryParameter(name="lat", description="Degrees, -90 to 90.")]
Longitude = Annotated[str | None, QueryParameter(name="lon", description="Degrees, -180 to 180.")]
