import asyncio
from collections.abc import Callable

from quartet.kernel.supervisor import BackgroundTask, every
from quartet.wind.alerts.delivery import Delivery
from quartet.wind.alerts.evaluation import Evaluation
from quartet.wind.alerts.measured import MeasuredAlerts
from quartet.wind.alerts.service import Alerts
from quartet.wind.alerts.types import Channel
from quartet.wind.leadership import WORK

EVALUATE = "alarms"
_LOOK_SECONDS = 30.0
_SEND_SECONDS = 15.0
_MEASURED_SECONDS = 60.0
_CHOOSE_SECONDS = 6 * 3600.0
# Fetch measurements first; the comparison of models needs them.
_FIRST_SECONDS = 120.0
SENDS: dict[Channel, str] = {
    "push": "alarm push",
    "email": "alarm mails",
    "messenger": "alarm messengers",
}


def alert_loops(
    alarms: Alerts,
    evaluation: Evaluation,
    measured: MeasuredAlerts,
    delivery: Delivery,
    hurry: Callable[[str], None],
) -> list[BackgroundTask]:
    """Return the loops of alerts; `hurry` ends the pause of a loop early."""

    waits = iter([_FIRST_SECONDS])

    async def choose() -> None:
        await asyncio.sleep(next(waits, 0))
        await alarms.choose_models()

    async def evaluate_new() -> None:
        if await evaluation.evaluate_new():
            for name in SENDS.values():
                hurry(name)

    async def check_measured() -> None:
        if await measured.check():
            for name in SENDS.values():
                hurry(name)

    def send(channel: Channel) -> BackgroundTask:
        async def run() -> None:
            await delivery.deliver(channel)

        # One loop per channel, so that a failing mail server does not delay push messages.
        return every(_SEND_SECONDS, run, name=SENDS[channel], exclusive=WORK)

    return [
        every(_LOOK_SECONDS, evaluate_new, name=EVALUATE, exclusive=WORK),
        every(_MEASURED_SECONDS, check_measured, name="alarm measurements", exclusive=WORK),
        send("push"),
        send("email"),
        send("messenger"),
        every(_CHOOSE_SECONDS, choose, name="models of alarms", exclusive=WORK),
    ]
