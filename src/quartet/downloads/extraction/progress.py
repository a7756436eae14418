from quartet.downloads.extraction.running import Running
from quartet.downloads.extraction.types import WholeProgress
from quartet.downloads.queue.fetching import Fetching
from quartet.downloads.queue.progress import Meter
from quartet.downloads.queue.scheduler import Scheduler


class WholeMeter(Meter):
    """Reads the archive that is being unpacked, too."""

    def __init__(self, scheduler: Scheduler, fetching: Fetching, running: Running) -> None:
        super().__init__(scheduler, fetching)
        self._running = running

    async def read(self) -> WholeProgress:
        downloads = await super().read()
        return WholeProgress(downloads.items, downloads.total_speed, self._running.shown())
