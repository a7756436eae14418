from litestar import get

from quartet.kernel.web import Injected
from quartet.wind.accounts.asking import ADMIN
from quartet.wind.admin.overview import AdminOverview, Overviews


@get("/api/admin/overview", **ADMIN)
async def admin_overview(overviews: Injected[Overviews]) -> AdminOverview:
    """How the service is doing: problems first, then the age of all data, tasks and numbers."""
    return await overviews.now()


ROUTES = [admin_overview]
