from litestar import get

from quartet.kernel.web import Injected
from quartet.wind.accounts.current_user import ADMIN
from quartet.wind.admin.measurements import AdminMeasurements, AdminSources


@get("/api/admin/measurements", **ADMIN)
async def admin_measurements(admin_sources: Injected[AdminSources]) -> AdminMeasurements:
    """Sources of measurements, with counts, ages and errors."""
    return await admin_sources.everything()


ROUTES = [admin_measurements]
