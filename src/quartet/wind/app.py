"""Builds the wind service from its features."""

import time
from pathlib import Path

from quartet.kernel.db import History
from quartet.kernel.service import BuiltService, Kernel, Service
from quartet.kernel.supervisor import BackgroundTask
from quartet.wind.accounts import routes as accounts_routes
from quartet.wind.accounts.startup_message import startup_message
from quartet.wind.address import site_address
from quartet.wind.admin import routes as admin_routes
from quartet.wind.alerts import routes as alerts_routes
from quartet.wind.alerts.service import Alerts, minimums_of
from quartet.wind.alerts.spans import AlertSpans
from quartet.wind.assembly.accounts import build_accounts
from quartet.wind.assembly.admin import ManagedServices, build_admin
from quartet.wind.assembly.alerts import AlertChannels, build_alerts
from quartet.wind.assembly.measurements import build_measurements
from quartet.wind.assembly.personal import PersonalServices, build_personal
from quartet.wind.assembly.weather import build_weather, source_gauges
from quartet.wind.basemap import routes as basemap_routes
from quartet.wind.basemap.service import BUILT_IN, Maps
from quartet.wind.blend import routes as blend_routes
from quartet.wind.blend.types import BEST
from quartet.wind.calendar import routes as calendar_routes
from quartet.wind.calendar.service import Calendars
from quartet.wind.forecasts import routes as forecasts_routes
from quartet.wind.forecasts.points import Points
from quartet.wind.forecasts.service import Forecasts
from quartet.wind.gauges import routes as gauges_routes
from quartet.wind.gear import routes as gear_routes
from quartet.wind.mail.service import Mail
from quartet.wind.map import routes as map_routes
from quartet.wind.map.service import WindMap
from quartet.wind.messengers import routes as messengers_routes
from quartet.wind.metadata import metadata
from quartet.wind.observations import routes as observations_routes
from quartet.wind.outlook import routes as outlook_routes
from quartet.wind.pages import routes as pages_routes
from quartet.wind.pages.link_previews import LinkPreviews
from quartet.wind.pages.service import Pages
from quartet.wind.push import routes as push_routes
from quartet.wind.push.service import SessionSubscriptions
from quartet.wind.routes_health import health
from quartet.wind.settings import SERVICE_SETTINGS, EnsembleId, WindSettings
from quartet.wind.site import routes as site_routes
from quartet.wind.site.service import SiteSettings
from quartet.wind.site.types import SiteOptions
from quartet.wind.spots import routes as spots_routes
from quartet.wind.stations import routes as stations_routes
from quartet.wind.stats import routes as stats_routes
from quartet.wind.verification import routes as verification_routes
from quartet.wind.widgets import routes as widgets_routes
from quartet.wind.widgets.service import Widgets

# The ensemble that is made fastest.
_DEMO_ENSEMBLES: tuple[EnsembleId, ...] = ("icon-d2-eps",)


def site_defaults(settings: WindSettings, *, demo: bool) -> SiteOptions:
    shown = _DEMO_ENSEMBLES if demo and settings.demo_size == "small" else ()
    ensembles = settings.ensembles or shown
    return SiteOptions(account_mode="open" if demo else "invite", ensembles=list(ensembles))


def build(kernel: Kernel[WindSettings]) -> BuiltService:
    site = SiteSettings(kernel.db, site_defaults(kernel.settings, demo=kernel.demo))
    mail = Mail(kernel)
    accounts = build_accounts(kernel, mail, site)
    accounts.accounts.followers.append(SessionSubscriptions())
    kernel.proxy.address = kernel.settings.proxy
    weather = build_weather(kernel, site)
    forecasts = Forecasts(weather.catalogue, weather.ingest, time.time)
    measured = build_measurements(kernel, weather)
    best_forecasts = measured.best
    personal = build_personal(
        kernel,
        weather,
        measured,
        site,
        # Alerts of the demo arrive in its own inbox.
        mail_ready=lambda: mail.ready or kernel.demo,
        minimums=minimums_of(kernel.db),
        best=best_forecasts,
    )
    alerts = build_alerts(
        kernel,
        weather,
        measured,
        AlertChannels(personal.spots, personal.push, mail, personal.messengers),
        best_forecasts,
    )
    personal.outlooks.alert_spans = AlertSpans(kernel.db, weather.catalogue, best_forecasts).of
    names = {BEST: "Best"} | {model.id: model.name for model in weather.ingest.models}
    calendars = Calendars(
        kernel.db, personal.outlooks, site_address(kernel.settings), names.__getitem__
    )
    accounts.users.exports |= {
        "favorites": personal.spots.of,
        "gear": personal.gear.all,
        "push": personal.push.export,
        "messengers": personal.messengers.export,
        "alarms": alerts.alerts.export,
        "calendar": calendars.of,
    }
    maps = Maps(kernel.settings.data / "maps", BUILT_IN)
    wind_map = WindMap(weather.catalogue, forecasts, maps, catch_up=weather.catch_up)
    admin = build_admin(
        kernel,
        SERVICE,
        ManagedServices(
            site,
            weather,
            measured,
            maps,
            wind_map,
            accounts.users,
            alerts.alerts,
            personal.push,
            mail,
            personal.messengers,
        ),
    )
    points = Points(forecasts, measured.rankings)
    return BuiltService(
        routes=[
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
        ],
        authenticate=accounts.accounts.identify,
        dependencies={
            **accounts.dependencies,
            **alerts.dependencies,
            **admin.dependencies,
            "mail": mail,
            "forecasts": forecasts,
            "points": points,
            "best_forecasts": best_forecasts,
            "verifications": measured.verifications,
            "widgets": Widgets(measured.stations, measured.observations, best_forecasts),
            "stations": measured.stations,
            "observations": measured.observations,
            "rankings": measured.rankings,
            "statistics": measured.statistics,
            "gauges": measured.gauges,
            "maps": maps,
            "wind_map": wind_map,
            "site_settings": site,
            "spots": personal.spots,
            "gear": personal.gear,
            "outlooks": personal.outlooks,
            "push": personal.push,
            "push_channels": personal.channels,
            "messengers": personal.messengers,
            "calendars": calendars,
            "pages": Pages(measured.stations, kernel.settings),
            "link_previews": LinkPreviews(measured.stations, forecasts, time.time),
        },
        gauges=source_gauges(weather.ingest, weather.catalogue),
        fast_paths={"/api/point": points.shortcut},
        fast_version=points.version,
        fast_files={"/api/map/": wind_map.in_memory},
        compress=False,
        framed_paths=[widgets_routes.EMBED_PATH],
        cross_origin_paths=(
            [widgets_routes.JSON_PATH, "/api/best"] if kernel.settings.widget_cross_origin else []
        ),
        # Runs arrive every hour at most; a minute keeps popular places cheap.
        public_json={
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
        },
        background_tasks=[
            *weather.loops,
            *measured.loops,
            *accounts.loops,
            *personal.loops,
            *alerts.loops,
            *admin.loops,
            *_demo_loops(kernel, personal, alerts.alerts),
        ],
    )


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
