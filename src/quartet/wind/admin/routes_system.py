from litestar import get, post

from quartet.kernel.web import Injected
from quartet.wind.accounts.current_user import ADMIN
from quartet.wind.admin.system import AdminSystem, Cleared, SystemAdmin


@get("/api/admin/system", **ADMIN)
async def admin_system(system_admin: Injected[SystemAdmin]) -> AdminSystem:
    """Versions, memory, processes, tasks, and the startup settings without secrets."""
    return system_admin.state()


@post("/api/admin/system/caches/clear", status_code=200, **ADMIN)
async def admin_clear_caches(system_admin: Injected[SystemAdmin]) -> Cleared:
    """Clear all caches."""
    return system_admin.clear_caches()


ROUTES = [admin_system, admin_clear_caches]
