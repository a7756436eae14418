"""Every route of the admin pages."""

from litestar.types import ControllerRouterHandler

from quartet.wind.admin import (
    routes_alerts,
    routes_background,
    routes_forecasts,
    routes_log,
    routes_map,
    routes_measurements,
    routes_overview,
    routes_settings,
    routes_stats,
    routes_storage,
    routes_system,
    routes_users,
)

ROUTES: list[ControllerRouterHandler] = [
    *routes_overview.ROUTES,
    *routes_background.ROUTES,
    *routes_settings.ROUTES,
    *routes_map.ROUTES,
    *routes_forecasts.ROUTES,
    *routes_measurements.ROUTES,
    *routes_stats.ROUTES,
    *routes_users.ROUTES,
    *routes_alerts.ROUTES,
    *routes_storage.ROUTES,
    *routes_system.ROUTES,
    *routes_log.ROUTES,
]
