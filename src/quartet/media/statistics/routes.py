from litestar import get

from quartet.kernel.web import Injected
from quartet.media.statistics.service import LibraryStatistics
from quartet.media.statistics.types import Statistics


@get("/api/statistics")
async def read_statistics(statistics: Injected[LibraryStatistics]) -> Statistics:
    """Returns the files moved per week, and the sizes of the libraries by day."""
    return await statistics.current()


ROUTES = [read_statistics]
