import asyncio

from quartet.kernel.supervisor import Loop
from quartet.sync.guard.service import Guard

LOOK_SECONDS = 0.5


def guard_loop(guard: Guard) -> Loop:
    async def run() -> None:
        while True:
            await guard.alarmed.wait()
            await guard.look()
            await asyncio.sleep(LOOK_SECONDS)

    return Loop("guard", run, restart_on_return=True, alone="hub")
