"""The admin area, from what the other rooms offer."""

from typing import Any, NamedTuple

from litestar.types import ControllerRouterHandler

from quartet.kernel.service import Kernel, Service
from quartet.kernel.supervisor import Loop
from quartet.wind.accounts.users import Users
from quartet.wind.admin.alarms import routes as alarms_routes
from quartet.wind.admin.alarms.service import AlarmCare
from quartet.wind.admin.background import routes as background_routes
from quartet.wind.admin.background.service import Tasks
from quartet.wind.admin.forecasts import routes as forecasts_routes
from quartet.wind.admin.forecasts.service import AdminRuns
from quartet.wind.admin.invites import routes as invites_routes
from quartet.wind.admin.log import routes as log_routes
from quartet.wind.admin.log.service import Log
from quartet.wind.admin.log.tasks import log_loop
from quartet.wind.admin.map import routes as map_routes
from quartet.wind.admin.map.service import MapCare, leftovers_of
from quartet.wind.admin.measurements import routes as measurements_routes
from quartet.wind.admin.measurements.service import AdminSources
from quartet.wind.admin.overview import routes as overview_routes
from quartet.wind.admin.overview.service import Overviews
from quartet.wind.admin.settings import routes as settings_routes
from quartet.wind.admin.settings.service import AdminSettings
from quartet.wind.admin.stats import routes as stats_routes
from quartet.wind.admin.storage import routes as storage_routes
from quartet.wind.admin.storage.backups import Backups
from quartet.wind.admin.storage.service import Storage
from quartet.wind.admin.system import routes as system_routes
from quartet.wind.admin.system.service import MachineRoom
from quartet.wind.admin.users import routes as users_routes
from quartet.wind.alarms.service import Alarms
from quartet.wind.basemap.service import Maps
from quartet.wind.ingest.build import Weather
from quartet.wind.mail.service import Mail
from quartet.wind.map.service import WindMap
from quartet.wind.measured import Measured
from quartet.wind.push.service import Push
from quartet.wind.settings import WindSettings
from quartet.wind.site.service import SiteSettings

ROUTES: list[ControllerRouterHandler] = [
    *overview_routes.ROUTES,
    *background_routes.ROUTES,
    *settings_routes.ROUTES,
    *map_routes.ROUTES,
    *forecasts_routes.ROUTES,
    *measurements_routes.ROUTES,
    *stats_routes.ROUTES,
    *users_routes.ROUTES,
    *invites_routes.ROUTES,
    *alarms_routes.ROUTES,
    *storage_routes.ROUTES,
    *system_routes.ROUTES,
    *log_routes.ROUTES,
]


class Rooms(NamedTuple):
    """What the admin area looks after."""

    site: SiteSettings
    weather: Weather
    measured: Measured
    maps: Maps
    wind_map: WindMap
    users: Users
    alarms: Alarms
    push: Push
    mail: Mail


class Admin(NamedTuple):
    dependencies: dict[str, object]
    loops: list[Loop]


def admin_of(kernel: Kernel[WindSettings], service: Service[Any], rooms: Rooms) -> Admin:
    weather, measured, data = rooms.weather, rooms.measured, kernel.settings.data
    tasks, log = Tasks(kernel.supervisor), Log(kernel.service)
    runs = AdminRuns(weather.catalogue, weather.ingest, kernel.supervisor, rooms.site)
    sources = AdminSources(
        kernel.db, measured.stations, measured.observations, measured.gauges, demo=kernel.demo
    )
    backups = Backups(service, kernel.settings)
    old = (measured.observations, measured.rankings)
    storage = Storage(kernel.db, kernel.settings, rooms.site, backups, rooms.wind_map, old)
    leftovers = leftovers_of(data, weather.catalogue, weather.ingest, demo=kernel.demo)
    caches = (rooms.wind_map, measured.rankings, measured.gauges)
    dependencies: dict[str, object] = {
        "overviews": Overviews(kernel, tasks, runs, sources, storage),
        "admin_tasks": tasks,
        "admin_settings": AdminSettings(rooms.site),
        "map_care": MapCare(data, runs, rooms.maps, rooms.wind_map, leftovers),
        "admin_runs": runs,
        "admin_sources": sources,
        "alarm_care": AlarmCare(rooms.alarms, rooms.push, rooms.mail, rooms.users),
        "storage": storage,
        "machine_room": MachineRoom(kernel, service.prefix, tasks, caches),
        "admin_log_book": log,
    }
    return Admin(dependencies, [log_loop(log, kernel.events)])
