import asyncio

from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.activity.service import Activity

FLUSH_SECONDS = 1.0


def activity_task(activity: Activity) -> BackgroundTask:
    async def run() -> None:
        try:
            while True:
                await asyncio.sleep(FLUSH_SECONDS)
                await activity.flush()
        finally:
            await activity.flush()

    return BackgroundTask("activity", run, restart_on_return=True)
