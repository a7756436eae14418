from quartet.downloads.extraction.current import CurrentExtraction
from quartet.downloads.extraction.types import ProgressWithExtraction
from quartet.downloads.queue.fetcher import Fetcher
from quartet.downloads.queue.scheduler.progress import ProgressMeter
from quartet.downloads.queue.scheduler.scheduler import Scheduler


class ExtractionProgressMeter(ProgressMeter):
    """Also reports the archive that is being extracted."""

    def __init__(self, scheduler: Scheduler, fetcher: Fetcher, current: CurrentExtraction) -> None:
        super().__init__(scheduler, fetcher)
        self._current = current

    async def read(self) -> ProgressWithExtraction:
        downloads = await super().read()
        return ProgressWithExtraction(
            downloads.items,
            downloads.total_speed,
            downloads.eta,
            downloads.upload_speed,
            self._current.shown(),
        )
