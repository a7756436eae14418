"""What belongs to somebody who rides, from the settings of an installation."""

from collections.abc import Callable
from typing import NamedTuple

from quartet.kernel.service import Kernel
from quartet.wind.gear.service import Gear
from quartet.wind.ingest.build import Weather
from quartet.wind.measured import Measured
from quartet.wind.outlook.service import AlarmMinimums, Outlooks
from quartet.wind.push.build import push_of
from quartet.wind.push.service import Push
from quartet.wind.settings import WindSettings
from quartet.wind.site.service import SiteSettings
from quartet.wind.spots.service import Spots


class Personal(NamedTuple):
    spots: Spots
    gear: Gear
    push: Push
    outlooks: Outlooks


def personal_of(
    kernel: Kernel[WindSettings],
    weather: Weather,
    measured: Measured,
    site: SiteSettings,
    *,
    mail_ready: Callable[[], bool],
    minimums: AlarmMinimums,
) -> Personal:
    async def limit() -> int:
        return (await site.get()).favorites_limit

    longest = {model.id: model.longest for model in weather.ingest.models}
    return Personal(
        Spots(kernel.db, measured.stations, limit),
        Gear(kernel.db),
        push_of(kernel, mail_ready),
        Outlooks(kernel.db, weather.catalogue, longest, measured.rankings, minimums),
    )
