"""Builds the alert services."""

import time
from typing import NamedTuple

from quartet.kernel.push.service import Push
from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask
from quartet.wind.address import site_address
from quartet.wind.alerts.delivery import Delivery
from quartet.wind.alerts.evaluation import Evaluation
from quartet.wind.alerts.measured import MeasuredAlerts
from quartet.wind.alerts.message_sender import (
    ChannelSenders,
    MailChannel,
    MessageLinks,
    MessageSender,
)
from quartet.wind.alerts.model_choice import ModelChoice
from quartet.wind.alerts.preview import Previews
from quartet.wind.alerts.service import Alerts
from quartet.wind.alerts.tasks import EVALUATE, alert_loops
from quartet.wind.alerts.trial_messages import TrialMessages
from quartet.wind.alerts.unsubscribe import UnsubscribeTokens
from quartet.wind.assembly.measurements import MeasurementServices
from quartet.wind.assembly.weather import WeatherServices
from quartet.wind.blend.answers import BestForecasts
from quartet.wind.mail.service import Mail
from quartet.wind.messengers.service import Messengers
from quartet.wind.settings import WindSettings
from quartet.wind.spots.service import Spots


class AlertServices(NamedTuple):
    alerts: Alerts
    # Injected into handlers by parameter name.
    dependencies: dict[str, object]
    loops: list[BackgroundTask]


class AlertChannels(NamedTuple):
    """The spots that alerts belong to, and the channels that deliver them."""

    spots: Spots
    push: Push
    mail: Mail
    messengers: Messengers


def build_alerts(
    kernel: Kernel[WindSettings],
    weather: WeatherServices,
    measured: MeasurementServices,
    channels: AlertChannels,
    best: BestForecasts,
) -> AlertServices:
    db, settings = kernel.db, kernel.settings

    tokens = UnsubscribeTokens(settings.data / "keys")
    model_choice = ModelChoice(weather.ingest.wind_models, measured.rankings, weather.catalogue)
    senders = ChannelSenders(channels.push, _alert_mail(kernel, channels.mail), channels.messengers)
    test_messages = TrialMessages(db, senders)
    alerts = Alerts(
        db, channels.spots, model_choice, test_messages, lambda: kernel.wake_task(EVALUATE)
    )
    channels.spots.change_hooks.append(alerts.on_spot_change)
    previews = Previews(
        db, channels.spots, measured.stations, model_choice, weather.catalogue, best=best
    )
    addresses = MessageLinks(site_address(settings), tokens)
    sender = MessageSender(senders, addresses, model_choice.name_of, time.time)
    measured_alerts = MeasuredAlerts(db, measured.stations)
    evaluation = Evaluation(db, weather.catalogue, best=best)
    delivery = Delivery(db, sender)
    dependencies: dict[str, object] = {
        "alert_service": alerts,
        "alert_previews": previews,
        "unsubscribe_tokens": tokens,
    }
    return AlertServices(
        alerts,
        dependencies,
        alert_loops(alerts, evaluation, measured_alerts, delivery, kernel.wake_task),
    )


def _alert_mail(kernel: Kernel[WindSettings], mail: Mail) -> MailChannel:
    if mail.ready or not kernel.demo:
        return mail
    # Imported here because only the demo needs it.
    from quartet.wind.demo.inbox import DemoInbox

    return DemoInbox(kernel.settings.data / "inbox")
