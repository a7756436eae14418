from litestar import get

from quartet.downloads.stats.service import StatsService
from quartet.downloads.stats.types import Stats
from quartet.kernel.web import Injected


@get("/api/stats")
async def stats(figures: Injected[StatsService]) -> Stats:
    """Return slots, queue, disk space and premium traffic."""
    return await figures.now()


ROUTES = [stats]
