import asyncio

from quartet.kernel.supervisor import BackgroundTask, every
from quartet.sync.notices.service import Notices

# Collect events for this long into one message.
GATHER_SECONDS = 10.0
LOOK_SECONDS = 30.0


def notices_tasks(notices: Notices) -> list[BackgroundTask]:
    async def send() -> None:
        while True:
            await notices.pending.wait()
            await asyncio.sleep(GATHER_SECONDS)
            await notices.send()

    return [
        BackgroundTask("notices", send, restart_on_return=True),
        every(LOOK_SECONDS, notices.check_offline_devices, name="absent"),
    ]
