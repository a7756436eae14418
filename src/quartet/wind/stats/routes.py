from litestar import get
from litestar.params import FromPath

from quartet.kernel.auth import client_key
from quartet.kernel.web import PUBLIC, Injected, Request
from quartet.wind.stats.service import Statistics
from quartet.wind.stats.types import Pending, Ready


@get("/api/stations/{slug:str}/stats", **PUBLIC)
async def stats(
    request: Request, slug: FromPath[str], statistics: Injected[Statistics]
) -> Ready | Pending:
    """Ten years of wind at a station, or the progress of their computation."""
    return await statistics.of(slug, client_key(request))


ROUTES = [stats]
