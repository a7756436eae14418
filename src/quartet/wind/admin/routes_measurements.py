from litestar import get

from quartet.kernel.web import Injected
from quartet.wind.accounts.asking import ADMIN
from quartet.wind.admin.measurements import AdminMeasurements, AdminSources


@get("/api/admin/measurements", **ADMIN)
async def admin_measurements(admin_sources: Injected[AdminSources]) -> AdminMeasurements:
    """Where measurements come from, how many, how old the newest are, and errors."""
    return await admin_sources.everything()


ROUTES = [admin_measurements]
