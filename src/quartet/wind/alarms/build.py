"""Alarms with all they need, from the settings of an installation."""

import time
from typing import NamedTuple

from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import Loop
from quartet.wind.address import site_address
from quartet.wind.alarms.choosing import Choosing
from quartet.wind.alarms.delivery import Delivery
from quartet.wind.alarms.evaluation import Evaluation
from quartet.wind.alarms.preview import Previews
from quartet.wind.alarms.sending import Addresses, Sending
from quartet.wind.alarms.service import Alarms
from quartet.wind.alarms.tasks import EVALUATE, alarm_loops
from quartet.wind.alarms.trials import Trials
from quartet.wind.alarms.unsubscribe import Tokens
from quartet.wind.ingest.build import Weather
from quartet.wind.mail.service import Mail
from quartet.wind.measured import Measured
from quartet.wind.push.service import Push
from quartet.wind.settings import WindSettings
from quartet.wind.spots.service import Spots


class AlarmsRoom(NamedTuple):
    alarms: Alarms
    # What the handlers are given by name.
    dependencies: dict[str, object]
    loops: list[Loop]


class Ways(NamedTuple):
    """Whose spots they are for, and how people are told."""

    spots: Spots
    push: Push
    mail: Mail


def alarms_of(
    kernel: Kernel[WindSettings], weather: Weather, measured: Measured, ways: Ways
) -> AlarmsRoom:
    db, settings = kernel.db, kernel.settings

    tokens = Tokens(settings.data / "keys")
    choosing = Choosing(weather.ingest.models, measured.rankings, weather.catalogue)
    trials = Trials(db, ways.push, ways.mail)
    alarms = Alarms(db, ways.spots, choosing, trials, lambda: kernel.hurry(EVALUATE))
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
    return AlarmsRoom(alarms, dependencies, alarm_loops(alarms, evaluation, delivery, kernel.hurry))
