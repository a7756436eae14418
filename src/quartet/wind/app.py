"""The wind forecast site, put together."""

import time
from pathlib import Path

from quartet.kernel.db import History
from quartet.kernel.service import Connection, Identity, Kernel, Service, Wing
from quartet.wind import health
from quartet.wind.forecasts import routes as forecasts_routes
from quartet.wind.forecasts.service import Forecasts
from quartet.wind.ingest.build import weather_of
from quartet.wind.metadata import metadata
from quartet.wind.settings import WindSettings
from quartet.wind.stations import tables as _stations  # noqa: F401  (its tables join the metadata)


async def nobody(_connection: Connection) -> Identity | None:
    """There are no accounts yet: what is not public stays shut."""
    return None


def build(kernel: Kernel[WindSettings]) -> Wing:
    weather = weather_of(kernel)
    return Wing(
        routes=[health.health, *forecasts_routes.ROUTES],
        authenticate=nobody,
        dependencies={"forecasts": Forecasts(weather.catalogue, weather.ingest, time.time)},
        loops=weather.loops,
    )


SERVICE = Service(
    name="wind",
    prefix="WIND_",
    settings=WindSettings,
    history=History("wind", metadata, Path(__file__).parent / "migrations"),
    build=build,
    welcome=lambda _kernel: "no login needed",
)
