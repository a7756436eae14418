from litestar import get, post
from litestar.params import FromPath

from quartet.kernel.web import Injected, Request, identity_of
from quartet.sync.accounts.access import READER
from quartet.sync.config.types.shares import Revised
from quartet.sync.repairs.service import Repairs
from quartet.sync.repairs.types import DriftedFiles


@get("/api/folders/{folder_id:int}/devices/{device_id:int}/drifted", **READER)
async def drifted_files(
    folder_id: FromPath[int], device_id: FromPath[int], repairs: Injected[Repairs]
) -> DriftedFiles:
    """List the files of a device that differ from its mode, and that a repair would change."""
    return await repairs.list_drifted(folder_id, device_id)


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


ROUTES = [drifted_files, revert_folder, override_folder, rebuild_folder]
