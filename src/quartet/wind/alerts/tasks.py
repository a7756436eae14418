import asyncio
from collections.abc import Callable

from quartet.kernel.supervisor import BackgroundTask, every
from quartet.wind.alerts.delivery import Delivery
from quartet.wind.alerts.evaluation import Evaluation
from quartet.wind.alerts.service import Alarms
from quartet.wind.alerts.types import Channel
from quartet.wind.leading import WORK

EVALUATE = "alarms"
_LOOK_SECONDS = 30.0
_SEND_SECONDS = 15.0
_CHOOSE_SECONDS = 6 * 3600.0
# Measurements come first, or nobody can be compared.
_FIRST_SECONDS = 120.0
SENDS: dict[Channel, str] = {"push": "alarm push", "email": "alarm mails"}


def alarm_loops(
    alarms: Alarms, evaluation: Evaluation, delivery: Delivery, hurry: Callable[[str], None]
) -> list[BackgroundTask]:
    """`hurry` cuts the pause of a loop short."""

    waits = iter([_FIRST_SECONDS])

    async def choose() -> None:
        await asyncio.sleep(next(waits, 0))
        await alarms.choose_models()

    async def look() -> None:
        if await evaluation.look():
            for name in SENDS.values():
                hurry(name)

    def send(channel: Channel) -> BackgroundTask:
        async def run() -> None:
            await delivery.deliver(channel)

        # One for each: a mail server that is down must not hold up the others.
        return every(_SEND_SECONDS, run, name=SENDS[channel], exclusive=WORK)

    return [
        every(_LOOK_SECONDS, look, name=EVALUATE, exclusive=WORK),
        send("push"),
        send("email"),
        every(_CHOOSE_SECONDS, choose, name="models of alarms", exclusive=WORK),
    ]
