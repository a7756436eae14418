import asyncio
import time

from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.hubfiles.guard.watch import Guard

CHECK_SECONDS = 0.5
# While changes wait for a decision.
BUSY_CHECK_SECONDS = 0.05
CLOCK_SECONDS = 1.0


def guard_task(guard: Guard) -> BackgroundTask:
    async def run() -> None:
        while True:
            await guard.changed.wait()
            began = time.monotonic()
            await guard.check()
            # The list of many changes takes long, and should not keep the hub busy all the time.
            took = time.monotonic() - began
            await asyncio.sleep(max(BUSY_CHECK_SECONDS if guard.is_busy else CHECK_SECONDS, took))

    return BackgroundTask("guard", run, restart_on_return=True, exclusive="hub")


def clock_task(guard: Guard) -> BackgroundTask:
    """Keep the gate's clock set while files may pass; listing many changes takes longer."""

    async def run() -> None:
        while True:
            await guard.passing.wait()
            guard.set_clock()
            await asyncio.sleep(CLOCK_SECONDS)

    return BackgroundTask("guard-clock", run, restart_on_return=True, exclusive="hub")
