from litestar import post
from litestar.params import FromPath

from quartet.kernel.web import Injected, Request, identity_of
from quartet.sync.config.types.shares import Revised
from quartet.sync.repairs.service import Repairs


@post("/api/folders/{folder_id:int}/devices/{device_id:int}/revert", status_code=200)
async def revert_folder(
    request: Request, folder_id: FromPath[int], device_id: FromPath[int], repairs: Injected[Repairs]
) -> Revised:
    """Revert the local changes of a receive-only device."""
    user = identity_of(request).subject
    return Revised(await repairs.ask(user, "revert", folder_id, device_id))


@post("/api/folders/{folder_id:int}/devices/{device_id:int}/override", status_code=200)
async def override_folder(
    request: Request, folder_id: FromPath[int], device_id: FromPath[int], repairs: Injected[Repairs]
) -> Revised:
    """Overwrite other devices with the content of a send-only device."""
    user = identity_of(request).subject
    return Revised(await repairs.ask(user, "override", folder_id, device_id))


@post("/api/folders/{folder_id:int}/devices/{device_id:int}/rebuild", status_code=200)
async def rebuild_folder(
    request: Request, folder_id: FromPath[int], device_id: FromPath[int], repairs: Injected[Repairs]
) -> Revised:
    """Add a folder again on a device where its marker is missing; no file is deleted."""
    user = identity_of(request).subject
    return Revised(await repairs.ask(user, "rebuild", folder_id, device_id))


ROUTES = [revert_folder, override_folder, rebuild_folder]
