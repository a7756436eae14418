import asyncio

from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.hubfiles.guard.watch import Guard

CHECK_SECONDS = 0.5
# While changes wait for a decision.
BUSY_CHECK_SECONDS = 0.05


def guard_task(guard: Guard) -> BackgroundTask:
    async def run() -> None:
        while True:
            await guard.changed.wait()
            await guard.check()
            await asyncio.sleep(BUSY_CHECK_SECONDS if guard.is_busy else CHECK_SECONDS)

    return BackgroundTask("guard", run, restart_on_return=True, exclusive="hub")
