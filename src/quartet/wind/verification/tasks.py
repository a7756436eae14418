from quartet.kernel.supervisor import BackgroundTask, every
from quartet.wind.leadership import WORK
from quartet.wind.verification.service import Verifications

_LOOK_SECONDS = 300.0
_HOUR = 3600.0
_DAY = 86400.0
_DEMO_SECONDS = 60.0


def verification_loops(verifications: Verifications, *, demo: bool) -> list[BackgroundTask]:
    async def issue() -> None:
        await verifications.issue()

    async def verify() -> None:
        await verifications.verify()

    async def prune() -> None:
        await verifications.prune()

    return [
        every(_LOOK_SECONDS, issue, name="store forecasts", exclusive=WORK),
        every(_DEMO_SECONDS if demo else _HOUR, verify, name="verify forecasts", exclusive=WORK),
        every(_DAY, prune, name="prune archive", exclusive=WORK),
    ]
