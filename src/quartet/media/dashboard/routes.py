from litestar import get

from quartet.kernel.web import Injected
from quartet.media.dashboard.service import DashboardService
from quartet.media.dashboard.types import Dashboard


@get("/api/dashboard")
async def read_dashboard(dashboard: Injected[DashboardService]) -> Dashboard:
    """Returns everything the start page shows."""
    return await dashboard.current()


ROUTES = [read_dashboard]
