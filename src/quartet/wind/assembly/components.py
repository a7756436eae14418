"""Constructs the services of the wind site and connects them."""

import time
from dataclasses import dataclass

from quartet.kernel.service import Kernel
from quartet.wind.accounts.users import Export
from quartet.wind.address import site_address
from quartet.wind.alerts.service import minimums_of
from quartet.wind.alerts.spans import AlertSpans
from quartet.wind.assembly.accounts import AccountServices, build_accounts
from quartet.wind.assembly.admin import ManagedServices
from quartet.wind.assembly.alerts import AlertChannels, AlertServices, build_alerts
from quartet.wind.assembly.measurements import MeasurementServices, build_measurements
from quartet.wind.assembly.personal import PersonalServices, build_personal
from quartet.wind.assembly.weather import WeatherServices, build_weather
from quartet.wind.basemap.service import BUILT_IN, Maps
from quartet.wind.blend.types import BEST
from quartet.wind.calendar.service import Calendars
from quartet.wind.forecasts.points import Points
from quartet.wind.forecasts.service import Forecasts
from quartet.wind.mail.service import Mail
from quartet.wind.map.service import WindMap
from quartet.wind.push.service import SessionSubscriptions
from quartet.wind.settings import EnsembleId, WindSettings
from quartet.wind.site.service import SiteSettings
from quartet.wind.site.types import SiteOptions

# The ensemble that is made fastest.
_DEMO_ENSEMBLES: tuple[EnsembleId, ...] = ("icon-d2-eps",)


def _site_defaults(settings: WindSettings, *, demo: bool) -> SiteOptions:
    shown = _DEMO_ENSEMBLES if demo and settings.demo_size == "small" else ()
    ensembles = settings.ensembles or shown
    return SiteOptions(account_mode="open" if demo else "invite", ensembles=list(ensembles))


@dataclass(frozen=True)
class Components:
    site: SiteSettings
    mail: Mail
    accounts: AccountServices
    weather: WeatherServices
    forecasts: Forecasts
    points: Points
    measured: MeasurementServices
    personal: PersonalServices
    alerts: AlertServices
    calendars: Calendars
    maps: Maps
    wind_map: WindMap


def build_components(kernel: Kernel[WindSettings]) -> Components:
    kernel.proxy.address = kernel.settings.proxy
    site = SiteSettings(kernel.db, _site_defaults(kernel.settings, demo=kernel.demo))
    mail = Mail(kernel)
    accounts = build_accounts(kernel, mail, site)
    accounts.accounts.followers.append(SessionSubscriptions())
    weather = build_weather(kernel, site)
    forecasts = Forecasts(weather.catalogue, weather.ingest, time.time)
    measured = build_measurements(kernel, weather)
    personal = build_personal(
        kernel,
        weather,
        measured,
        site,
        # Alerts of the demo arrive in its own inbox.
        mail_ready=lambda: mail.ready or kernel.demo,
        minimums=minimums_of(kernel.db),
        best=measured.best,
    )
    channels = AlertChannels(personal.spots, personal.push, mail, personal.messengers)
    alerts = build_alerts(kernel, weather, measured, channels, measured.best)
    spans = AlertSpans(kernel.db, weather.catalogue, measured.best)
    personal.outlooks.alert_spans = spans.of
    calendars = _calendars(kernel, weather, personal)
    accounts.users.exports |= _exports(personal, alerts, calendars)
    maps = Maps(kernel.settings.data / "maps", BUILT_IN)
    return Components(
        site=site,
        mail=mail,
        accounts=accounts,
        weather=weather,
        forecasts=forecasts,
        points=Points(forecasts, measured.rankings),
        measured=measured,
        personal=personal,
        alerts=alerts,
        calendars=calendars,
        maps=maps,
        wind_map=WindMap(weather.catalogue, forecasts, maps, catch_up=weather.catch_up),
    )


def managed_services(parts: Components) -> ManagedServices:
    return ManagedServices(
        site=parts.site,
        weather=parts.weather,
        measured=parts.measured,
        maps=parts.maps,
        wind_map=parts.wind_map,
        users=parts.accounts.users,
        alarms=parts.alerts.alerts,
        push=parts.personal.push,
        mail=parts.mail,
        messengers=parts.personal.messengers,
    )


def _calendars(
    kernel: Kernel[WindSettings], weather: WeatherServices, personal: PersonalServices
) -> Calendars:
    names = {BEST: "Best"} | {model.id: model.name for model in weather.ingest.models}
    address = site_address(kernel.settings)
    return Calendars(kernel.db, personal.outlooks, address, names.__getitem__)


def _exports(
    personal: PersonalServices, alerts: AlertServices, calendars: Calendars
) -> dict[str, Export]:
    """Return what users download with their data, besides their account."""
    return {
        "favorites": personal.spots.of,
        "gear": personal.gear.all,
        "push": personal.push.export,
        "messengers": personal.messengers.export,
        "alarms": alerts.alerts.export,
        "calendar": calendars.of,
    }
