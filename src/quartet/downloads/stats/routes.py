from litestar import get

from quartet.downloads.stats.service import Figures
from quartet.downloads.stats.types import Stats
from quartet.kernel.web import Injected


@get("/api/stats")
async def stats(figures: Injected[Figures]) -> Stats:
    """Slots, queue, disk space, premium traffic."""
    return await figures.now()


ROUTES = [stats]
