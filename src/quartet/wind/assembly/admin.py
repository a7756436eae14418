"""Builds the services of the admin pages."""

from typing import Any, NamedTuple

from quartet.kernel.push.service import Push
from quartet.kernel.service import Kernel, Service
from quartet.kernel.supervisor import BackgroundTask
from quartet.wind.accounts.users import Users
from quartet.wind.admin.alerts import AlertAdmin
from quartet.wind.admin.background import BackgroundTasks
from quartet.wind.admin.forecasts import AdminRuns
from quartet.wind.admin.log import LogAdmin, log_loop
from quartet.wind.admin.map import MapAdmin, leftovers_finder
from quartet.wind.admin.measurements import AdminSources
from quartet.wind.admin.overview import Overviews
from quartet.wind.admin.problem_messages import ProblemMessages
from quartet.wind.admin.settings import AdminSettings
from quartet.wind.admin.storage import StorageAdmin
from quartet.wind.admin.system import SystemAdmin
from quartet.wind.alerts.service import Alerts
from quartet.wind.assembly.measurements import MeasurementServices
from quartet.wind.assembly.weather import WeatherServices
from quartet.wind.basemap.service import Maps
from quartet.wind.mail.service import Mail
from quartet.wind.map.service import WindMap
from quartet.wind.messengers.service import Messengers
from quartet.wind.settings import WindSettings
from quartet.wind.site.service import SiteSettings


class ManagedServices(NamedTuple):
    """The services that the admin pages manage."""

    site: SiteSettings
    weather: WeatherServices
    measured: MeasurementServices
    maps: Maps
    wind_map: WindMap
    users: Users
    alarms: Alerts
    push: Push
    mail: Mail
    messengers: Messengers


class AdminServices(NamedTuple):
    dependencies: dict[str, object]
    loops: list[BackgroundTask]


def build_admin(
    kernel: Kernel[WindSettings], service: Service[Any], managed: ManagedServices
) -> AdminServices:
    weather, measured, data = managed.weather, managed.measured, kernel.settings.data
    tasks = BackgroundTasks(kernel.supervisor, weather.ingest.unused_loops)
    log = LogAdmin(kernel.service)
    runs = AdminRuns(weather.catalogue, weather.ingest, kernel.supervisor, managed.site)
    sources = AdminSources(
        kernel.db, measured.stations, measured.observations, measured.gauges, demo=kernel.demo
    )
    kernel.backups.keep = lambda: _backups_kept(managed.site)
    old = (measured.observations, measured.rankings)
    storage_admin = StorageAdmin(
        kernel.db, kernel.settings, managed.site, kernel.backups, managed.wind_map, old
    )
    leftovers = leftovers_finder(data, weather.catalogue, weather.ingest, demo=kernel.demo)
    caches = (managed.wind_map, measured.rankings, measured.gauges)
    overviews = Overviews(kernel, tasks, runs, sources, storage_admin)
    kernel.conditions.checks.append(overviews.late_sources)
    problems = ProblemMessages(kernel.db, managed.mail, managed.messengers)
    kernel.conditions.notify = problems.send
    dependencies: dict[str, object] = {
        "overviews": overviews,
        "admin_tasks": tasks,
        "admin_settings": AdminSettings(managed.site),
        "map_admin": MapAdmin(data, runs, managed.maps, managed.wind_map, leftovers),
        "admin_runs": runs,
        "admin_sources": sources,
        "alert_admin": AlertAdmin(managed.alarms, managed.push, managed.mail, managed.users),
        "storage_admin": storage_admin,
        "system_admin": SystemAdmin(kernel, service.prefix, tasks, caches),
        "admin_log_service": log,
    }
    return AdminServices(dependencies, [log_loop(log, kernel.events)])


async def _backups_kept(site: SiteSettings) -> int:
    return (await site.get()).backups_kept
