import asyncio

from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.hubfiles.guard.service import Guard

CHECK_SECONDS = 0.5


def guard_task(guard: Guard) -> BackgroundTask:
    async def run() -> None:
        while True:
            await guard.changed.wait()
            await guard.check()
            await asyncio.sleep(CHECK_SECONDS)

    return BackgroundTask("guard", run, restart_on_return=True, exclusive="hub")
