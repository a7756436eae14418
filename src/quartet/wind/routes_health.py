from typing import Any

import msgspec
from litestar import get

from quartet import __version__
from quartet.kernel.service import Kernel
from quartet.kernel.web import PUBLIC, Injected
from quartet.wind.forecasts.service import Forecasts
from quartet.wind.stations import store
from quartet.wind.stations.service import Stations


class Health(msgspec.Struct, frozen=True, rename="camel"):
    version: str
    schema_version: int
    stations: int
    # Stations that have reported within the last hours.
    live_stations: int
    # Seconds since the start of the newest run of each model; null before its first run.
    data_age: dict[str, int | None]


@get("/api/health", **PUBLIC)
async def health(
    kernel: Injected[Kernel[Any]], forecasts: Injected[Forecasts], stations: Injected[Stations]
) -> Health:
    """Version, schema version, number of stations and age of the forecasts."""
    known = await kernel.db.read(store.count)
    return Health(
        __version__, kernel.schema_version, known, len(stations.live()), forecasts.data_age()
    )
