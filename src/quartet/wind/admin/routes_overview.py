from litestar import get

from quartet.kernel.web import Injected
from quartet.wind.accounts.current_user import ADMIN
from quartet.wind.admin.overview import AdminOverview, Overviews


@get("/api/admin/overview", **ADMIN)
async def admin_overview(overviews: Injected[Overviews]) -> AdminOverview:
    """State of the service: problems first, then the age of all data, tasks and totals."""
    return await overviews.now()


ROUTES = [admin_overview]
