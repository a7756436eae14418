import asyncio

from quartet.downloads.icons.service import Icons
from quartet.downloads.signal import Signal
from quartet.kernel.supervisor import BackgroundTask

# The page that asked for icons loads its other data first.
DELAY_SECONDS = 1.0


def icons_loop(icons: Icons, wake: Signal) -> BackgroundTask:
    async def run() -> None:
        while True:
            await wake.wait()
            await asyncio.sleep(DELAY_SECONDS)
            await icons.fetch_missing()

    return BackgroundTask("icons", run)
