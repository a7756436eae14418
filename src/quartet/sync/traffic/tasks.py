import asyncio
from collections.abc import Callable

from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.revisions.service import Revisions
from quartet.sync.traffic.pace import pace_at, this_moment
from quartet.sync.traffic.types import Pace

LOOK_SECONDS = 10.0


def traffic_loop(revisions: Revisions, on_change: Callable[[], None]) -> BackgroundTask:
    """A new revision is applied anyway; here only the clock changes something."""

    def paces() -> dict[int, Pace]:
        now = this_moment()
        return {
            device.id: pace_at(device.traffic, now)
            for device in revisions.current.devices.values()
            if device.traffic.schedule
        }

    async def run() -> None:
        known = paces()
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            before, known = known, paces()
            if before != known:
                on_change()

    return BackgroundTask("traffic", run, restart_on_return=True)
