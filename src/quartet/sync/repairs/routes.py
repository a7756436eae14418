from litestar import post
from litestar.params import FromPath

from quartet.kernel.web import Injected, Request, identity_of
from quartet.sync.config.types.shares import Revised
from quartet.sync.repairs.service import Repairs


@post("/api/folders/{folder_id:int}/devices/{device_id:int}/revert", status_code=200)
async def revert_folder(
    request: Request, folder_id: FromPath[int], device_id: FromPath[int], repairs: Injected[Repairs]
) -> Revised:
    """Undoes what was changed on a device that only receives."""
    who = identity_of(request).subject
    return Revised(await repairs.ask(who, "revert", folder_id, device_id))


@post("/api/folders/{folder_id:int}/devices/{device_id:int}/override", status_code=200)
async def override_folder(
    request: Request, folder_id: FromPath[int], device_id: FromPath[int], repairs: Injected[Repairs]
) -> Revised:
    """Makes what a device that only sends has the truth for all."""
    who = identity_of(request).subject
    return Revised(await repairs.ask(who, "override", folder_id, device_id))


ROUTES = [revert_folder, override_folder]
