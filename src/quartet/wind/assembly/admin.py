"""The admin area, from what the other rooms offer."""

from typing import Any, NamedTuple

from quartet.kernel.service import Kernel, Service
from quartet.kernel.supervisor import BackgroundTask
from quartet.wind.accounts.users import Users
from quartet.wind.admin.alerts import AlarmCare
from quartet.wind.admin.background import Tasks
from quartet.wind.admin.backups import Backups
from quartet.wind.admin.forecasts import AdminRuns
from quartet.wind.admin.log import Log, log_loop
from quartet.wind.admin.map import MapCare, leftovers_of
from quartet.wind.admin.measurements import AdminSources
from quartet.wind.admin.overview import Overviews
from quartet.wind.admin.settings import AdminSettings
from quartet.wind.admin.storage import Storage
from quartet.wind.admin.system import MachineRoom
from quartet.wind.alerts.service import Alarms
from quartet.wind.assembly.measurements import MeasurementServices
from quartet.wind.assembly.weather import WeatherServices
from quartet.wind.basemap.service import Maps
from quartet.wind.mail.service import Mail
from quartet.wind.map.service import WindMap
from quartet.wind.push.service import Push
from quartet.wind.settings import WindSettings
from quartet.wind.site.service import SiteSettings


class ManagedServices(NamedTuple):
    """What the admin area looks after."""

    site: SiteSettings
    weather: WeatherServices
    measured: MeasurementServices
    maps: Maps
    wind_map: WindMap
    users: Users
    alarms: Alarms
    push: Push
    mail: Mail


class AdminServices(NamedTuple):
    dependencies: dict[str, object]
    loops: list[BackgroundTask]


def build_admin(
    kernel: Kernel[WindSettings], service: Service[Any], rooms: ManagedServices
) -> AdminServices:
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
    return AdminServices(dependencies, [log_loop(log, kernel.events)])
