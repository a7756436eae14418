from typing import Annotated

from litestar import get, post
from litestar.params import FromPath, QueryParameter

from quartet.kernel.service import Kernel
from quartet.kernel.web import Injected
from quartet.wind.accounts.current_user import ADMIN
from quartet.wind.admin import store
from quartet.wind.admin.stats import AdminStats
from quartet.wind.settings import WindSettings
from quartet.wind.stats.service import Statistics

_PAGE = 100


@get("/api/admin/stats", **ADMIN)
async def admin_stats(
    kernel: Injected[Kernel[WindSettings]],
    offset: Annotated[int, QueryParameter(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, QueryParameter(ge=1, le=500)] = _PAGE,
) -> AdminStats:
    """Stations with requested ten-year statistics; those with errors first."""
    found = await kernel.db.read(store.statistics_page, offset, limit)
    return AdminStats(found, await kernel.db.read(store.count_statistics))


@post("/api/admin/stats/{station:str}/retry", status_code=202, **ADMIN)
async def admin_stats_retry(station: FromPath[str], statistics: Injected[Statistics]) -> None:
    """Compute the statistics of a station again from the start."""
    await statistics.retry(station)


ROUTES = [admin_stats, admin_stats_retry]
