from typing import Any

import msgspec
from litestar import get

from quartet import __version__
from quartet.kernel.service import Kernel
from quartet.kernel.web import PUBLIC, Given
from quartet.wind.stations import store


class Health(msgspec.Struct, frozen=True, rename="camel"):
    version: str
    schema_version: int
    stations: int


@get("/api/health", **PUBLIC)
async def health(kernel: Given[Kernel[Any]]) -> Health:
    """Version, schema version and number of stations."""
    stations = await kernel.db.read(store.count)
    return Health(__version__, kernel.schema_version, stations)
