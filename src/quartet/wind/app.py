"""The wind forecast site, put together."""

import time
from pathlib import Path

from quartet.kernel.db import History
from quartet.kernel.service import Connection, Identity, Kernel, Service, Wing
from quartet.wind import health
from quartet.wind.basemap import routes as basemap_routes
from quartet.wind.basemap.service import BUILT_IN, Maps
from quartet.wind.forecasts import routes as forecasts_routes
from quartet.wind.forecasts.service import Forecasts
from quartet.wind.gauges import routes as gauges_routes
from quartet.wind.ingest.build import weather_of
from quartet.wind.map import routes as map_routes
from quartet.wind.map.service import WindMap
from quartet.wind.measured import measured_of
from quartet.wind.metadata import metadata
from quartet.wind.observations import routes as observations_routes
from quartet.wind.pages import routes as pages_routes
from quartet.wind.pages.service import Pages
from quartet.wind.settings import WindSettings
from quartet.wind.stations import routes as stations_routes
from quartet.wind.stats import routes as stats_routes


async def nobody(_connection: Connection) -> Identity | None:
    """There are no accounts yet: what is not public stays shut."""
    return None


def build(kernel: Kernel[WindSettings]) -> Wing:
    weather = weather_of(kernel)
    forecasts = Forecasts(weather.catalogue, weather.ingest, time.time)
    measured = measured_of(kernel, weather)
    maps = Maps(kernel.settings.data / "maps", BUILT_IN)
    return Wing(
        routes=[
            health.health,
            *forecasts_routes.ROUTES,
            *stations_routes.ROUTES,
            *observations_routes.ROUTES,
            *stats_routes.ROUTES,
            *gauges_routes.ROUTES,
            *map_routes.ROUTES,
            *basemap_routes.ROUTES,
            *pages_routes.ROUTES,
        ],
        authenticate=nobody,
        dependencies={
            "forecasts": forecasts,
            "stations": measured.stations,
            "observations": measured.observations,
            "rankings": measured.rankings,
            "statistics": measured.statistics,
            "gauges": measured.gauges,
            "maps": maps,
            "wind_map": WindMap(weather.catalogue, forecasts, maps),
            "pages": Pages(measured.stations, kernel.settings),
        },
        loops=[*weather.loops, *measured.loops],
    )


SERVICE = Service(
    name="wind",
    prefix="WIND_",
    settings=WindSettings,
    history=History("wind", metadata, Path(__file__).parent / "migrations"),
    build=build,
    welcome=lambda _kernel: "no login needed",
)
