"""Builds the wind service from its features."""

import time
from pathlib import Path

from quartet.kernel.db import History
from quartet.kernel.service import BuiltService, Kernel, Service
from quartet.kernel.supervisor import BackgroundTask
from quartet.wind.accounts import routes as accounts_routes
from quartet.wind.accounts.startup_message import startup_message
from quartet.wind.admin import routes as admin_routes
from quartet.wind.alerts import routes as alerts_routes
from quartet.wind.alerts.service import Alerts
from quartet.wind.assembly.admin import build_admin
from quartet.wind.assembly.components import Components, build_components, managed_services
from quartet.wind.assembly.personal import PersonalServices
from quartet.wind.assembly.weather import source_gauges
from quartet.wind.basemap import routes as basemap_routes
from quartet.wind.blend import routes as blend_routes
from quartet.wind.calendar import routes as calendar_routes
from quartet.wind.forecasts import routes as forecasts_routes
from quartet.wind.gauges import routes as gauges_routes
from quartet.wind.gear import routes as gear_routes
from quartet.wind.map import routes as map_routes
from quartet.wind.messengers import routes as messengers_routes
from quartet.wind.metadata import metadata
from quartet.wind.observations import routes as observations_routes
from quartet.wind.outlook import routes as outlook_routes
from quartet.wind.pages import routes as pages_routes
from quartet.wind.pages.link_previews import LinkPreviews
from quartet.wind.pages.service import Pages
from quartet.wind.push import routes as push_routes
from quartet.wind.routes_health import health
from quartet.wind.settings import SERVICE_SETTINGS, WindSettings
from quartet.wind.site import routes as site_routes
from quartet.wind.spots import routes as spots_routes
from quartet.wind.stations import routes as stations_routes
from quartet.wind.stats import routes as stats_routes
from quartet.wind.verification import routes as verification_routes
from quartet.wind.widgets import routes as widgets_routes
from quartet.wind.widgets.service import Widgets

ROUTES = [
    health,
    *forecasts_routes.ROUTES,
    *blend_routes.ROUTES,
    *verification_routes.ROUTES,
    *widgets_routes.ROUTES,
    *stations_routes.ROUTES,
    *observations_routes.ROUTES,
    *stats_routes.ROUTES,
    *gauges_routes.ROUTES,
    *map_routes.ROUTES,
    *basemap_routes.ROUTES,
    *pages_routes.ROUTES,
    *site_routes.ROUTES,
    *accounts_routes.ROUTES,
    *spots_routes.ROUTES,
    *gear_routes.ROUTES,
    *outlook_routes.ROUTES,
    *push_routes.ROUTES,
    *messengers_routes.ROUTES,
    *calendar_routes.ROUTES,
    *alerts_routes.ROUTES,
    *admin_routes.ROUTES,
]

# Seconds for which browsers and proxies may keep a response.
# Runs arrive every hour at most; a minute keeps popular places cheap.
PUBLIC_JSON = {
    "/api/point": 60,
    "/api/best": 60,
    "/api/verification": 300,
    "/api/widget": 60,
    "/api/map/series": 60,
    "/api/map": 0,
    "/api/models": 0,
    "/api/stations": 0,
    "/api/search": 0,
    "/api/gauges": 0,
}


def build(kernel: Kernel[WindSettings]) -> BuiltService:
    parts = build_components(kernel)
    admin = build_admin(kernel, SERVICE, managed_services(parts))
    widget_paths = [widgets_routes.JSON_PATH, "/api/best"]
    return BuiltService(
        routes=ROUTES,
        authenticate=parts.accounts.accounts.identify,
        dependencies={**_dependencies(kernel, parts), **admin.dependencies},
        gauges=source_gauges(parts.weather.ingest, parts.weather.catalogue),
        fast_paths={"/api/point": parts.points.shortcut},
        fast_version=parts.points.version,
        fast_files={"/api/map/": parts.wind_map.in_memory},
        compress=False,
        framed_paths=[widgets_routes.EMBED_PATH],
        cross_origin_paths=widget_paths if kernel.settings.widget_cross_origin else [],
        public_json=PUBLIC_JSON,
        background_tasks=[
            *parts.weather.loops,
            *parts.measured.loops,
            *parts.accounts.loops,
            *parts.personal.loops,
            *parts.alerts.loops,
            *admin.loops,
            *_demo_loops(kernel, parts.personal, parts.alerts.alerts),
        ],
    )


def _dependencies(kernel: Kernel[WindSettings], parts: Components) -> dict[str, object]:
    """Return the arguments that handlers receive by name, except those of the admin pages."""
    measured, personal, forecasts = parts.measured, parts.personal, parts.forecasts
    return {
        **parts.accounts.dependencies,
        **parts.alerts.dependencies,
        "mail": parts.mail,
        "forecasts": forecasts,
        "points": parts.points,
        "best_forecasts": measured.best,
        "verifications": measured.verifications,
        "widgets": Widgets(measured.stations, measured.observations, measured.best),
        "stations": measured.stations,
        "observations": measured.observations,
        "rankings": measured.rankings,
        "statistics": measured.statistics,
        "gauges": measured.gauges,
        "maps": parts.maps,
        "wind_map": parts.wind_map,
        "site_settings": parts.site,
        "spots": personal.spots,
        "gear": personal.gear,
        "outlooks": personal.outlooks,
        "push": personal.push,
        "push_channels": personal.channels,
        "messengers": personal.messengers,
        "calendars": parts.calendars,
        "pages": Pages(measured.stations, kernel.settings),
        "link_previews": LinkPreviews(measured.stations, forecasts, time.time),
    }


def _demo_loops(
    kernel: Kernel[WindSettings], personal: PersonalServices, alerts: Alerts
) -> list[BackgroundTask]:
    if not kernel.demo:
        return []
    # Imported here because only the demo needs it.
    from quartet.wind.demo.rider import rider_loops

    return rider_loops(kernel, personal.spots, personal.gear, alerts)


SERVICE: Service[WindSettings] = Service(
    name="wind",
    **SERVICE_SETTINGS._asdict(),
    history=History("wind", metadata, Path(__file__).parent / "migrations"),
    build=build,
    welcome=startup_message,
    # Forecasts are read from files.
    needs_database=False,
)
