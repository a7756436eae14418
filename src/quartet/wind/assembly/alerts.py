"""Alarms with all they need, from the settings of an installation."""

import time
from typing import NamedTuple

from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask
from quartet.wind.address import site_address
from quartet.wind.alerts.choosing import Choosing
from quartet.wind.alerts.delivery import Delivery
from quartet.wind.alerts.evaluation import Evaluation
from quartet.wind.alerts.preview import Previews
from quartet.wind.alerts.sending import Addresses, Sending
from quartet.wind.alerts.service import Alarms
from quartet.wind.alerts.tasks import EVALUATE, alarm_loops
from quartet.wind.alerts.trials import Trials
from quartet.wind.alerts.unsubscribe import Tokens
from quartet.wind.assembly.measurements import MeasurementServices
from quartet.wind.assembly.weather import WeatherServices
from quartet.wind.mail.service import Mail
from quartet.wind.push.service import Push
from quartet.wind.settings import WindSettings
from quartet.wind.spots.service import Spots


class AlertServices(NamedTuple):
    alarms: Alarms
    # What the handlers are given by name.
    dependencies: dict[str, object]
    loops: list[BackgroundTask]


class AlertChannels(NamedTuple):
    """Whose spots they are for, and how people are told."""

    spots: Spots
    push: Push
    mail: Mail


def build_alerts(
    kernel: Kernel[WindSettings],
    weather: WeatherServices,
    measured: MeasurementServices,
    ways: AlertChannels,
) -> AlertServices:
    db, settings = kernel.db, kernel.settings

    tokens = Tokens(settings.data / "keys")
    choosing = Choosing(weather.ingest.models, measured.rankings, weather.catalogue)
    trials = Trials(db, ways.push, ways.mail)
    alarms = Alarms(db, ways.spots, choosing, trials, lambda: kernel.wake_task(EVALUATE))
    ways.spots.following.append(alarms.follow)
    previews = Previews(db, ways.spots, measured.stations, choosing, weather.catalogue)
    addresses = Addresses(site_address(settings), tokens)
    sending = Sending(ways.push, ways.mail, addresses, choosing.name_of, time.time)
    evaluation, delivery = Evaluation(db, weather.catalogue), Delivery(db, sending)
    dependencies: dict[str, object] = {
        "alarm_service": alarms,
        "alarm_previews": previews,
        "unsubscribe_tokens": tokens,
    }
    return AlertServices(
        alarms, dependencies, alarm_loops(alarms, evaluation, delivery, kernel.wake_task)
    )
