"""Builds the features that belong to one user: spots, gear, push, messengers and outlooks."""

from collections.abc import Callable
from typing import NamedTuple

from quartet.kernel.address_policy import AddressPolicy
from quartet.kernel.push.service import Push
from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask
from quartet.wind.assembly.measurements import MeasurementServices
from quartet.wind.assembly.push import build_push
from quartet.wind.assembly.weather import WeatherServices
from quartet.wind.blend.answers import BestForecasts
from quartet.wind.gear.service import Gear
from quartet.wind.messengers.service import Messengers
from quartet.wind.outlook.service import AlarmMinimums, Outlooks
from quartet.wind.push.service import PushChannels
from quartet.wind.settings import WindSettings
from quartet.wind.site.service import SiteSettings
from quartet.wind.spots.service import Spots


class PersonalServices(NamedTuple):
    spots: Spots
    gear: Gear
    push: Push
    channels: PushChannels
    messengers: Messengers
    outlooks: Outlooks
    loops: list[BackgroundTask]


def build_personal(
    kernel: Kernel[WindSettings],
    weather: WeatherServices,
    measured: MeasurementServices,
    site: SiteSettings,
    *,
    mail_ready: Callable[[], bool],
    minimums: AlarmMinimums,
    best: BestForecasts,
) -> PersonalServices:
    async def limit() -> int:
        return (await site.get()).favorites_limit

    push, push_loops = build_push(kernel)
    longest = {model.id: model.longest for model in weather.ingest.wind_models}
    return PersonalServices(
        Spots(kernel.db, measured.stations, limit),
        Gear(kernel.db),
        push,
        PushChannels(push, mail_ready),
        Messengers(kernel.db, AddressPolicy(kernel.allow_private)),
        Outlooks(kernel.db, weather.catalogue, longest, measured.rankings, minimums, best=best),
        push_loops,
    )
