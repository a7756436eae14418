import asyncio
from collections.abc import Callable
from contextlib import suppress

from quartet.kernel.events import EventHub
from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.config.pace import current_moment, pace_at
from quartet.sync.config.service.revisions import TOPIC, Revisions
from quartet.sync.config.types.traffic import Pace

# A server may be killed after its commit and before its notification.
CATCH_UP_SECONDS = 5.0
SCHEDULE_SECONDS = 10.0


def revisions_task(revisions: Revisions, events: EventHub) -> BackgroundTask:
    """Load changes that other servers on the same database make."""
    changed = asyncio.Event()
    events.on(TOPIC, lambda _revision: changed.set())

    async def run() -> None:
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), CATCH_UP_SECONDS)
            changed.clear()
            await revisions.catch_up()

    return BackgroundTask("revisions", run, restart_on_return=True, everywhere=True)


def traffic_task(revisions: Revisions, on_change: Callable[[], None]) -> BackgroundTask:
    """Call `on_change` when the schedule changes a device's limits; new revisions are applied
    anyway.
    """

    def paces() -> dict[int, Pace]:
        now = current_moment()
        return {
            device.id: pace_at(device.traffic, now)
            for device in revisions.current.devices.values()
            if device.traffic.schedule
        }

    async def run() -> None:
        known = paces()
        while True:
            await asyncio.sleep(SCHEDULE_SECONDS)
            before, known = known, paces()
            if before != known:
                on_change()

    return BackgroundTask("traffic", run, restart_on_return=True)
