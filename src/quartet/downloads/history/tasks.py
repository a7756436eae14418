import asyncio

from quartet.downloads.history.service import HistoryService
from quartet.kernel.supervisor import BackgroundTask

SECONDS = 6 * 3600.0


def history_loop(history: HistoryService) -> BackgroundTask:
    """Delete old entries from time to time."""

    async def run() -> None:
        while True:
            await history.delete_old()
            await asyncio.sleep(SECONDS)

    return BackgroundTask("history", run)
