from quartet.kernel.supervisor import BackgroundTask, every
from quartet.media.statistics.service import LibraryStatistics

_SECONDS = 60.0


def statistics_task(statistics: LibraryStatistics) -> BackgroundTask:
    return every(_SECONDS, statistics.measure_if_due, name="library sizes")
