import asyncio

from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.hubfiles.guard.service import Guard

LOOK_SECONDS = 0.5


def guard_loop(guard: Guard) -> BackgroundTask:
    async def run() -> None:
        while True:
            await guard.alarmed.wait()
            await guard.look()
            await asyncio.sleep(LOOK_SECONDS)

    return BackgroundTask("guard", run, restart_on_return=True, exclusive="hub")
