from litestar import get, post

from quartet.kernel.web import Injected
from quartet.wind.accounts.asking import ADMIN
from quartet.wind.admin.system import AdminSystem, Cleared, MachineRoom


@get("/api/admin/system", **ADMIN)
async def admin_system(machine_room: Injected[MachineRoom]) -> AdminSystem:
    """Versions, memory, processes, tasks, and the settings of the start without secrets."""
    return machine_room.state()


@post("/api/admin/system/caches/clear", status_code=200, **ADMIN)
async def admin_clear_caches(machine_room: Injected[MachineRoom]) -> Cleared:
    """Empties every cache; what is asked for next is made anew."""
    return machine_room.clear_caches()


ROUTES = [admin_system, admin_clear_caches]
