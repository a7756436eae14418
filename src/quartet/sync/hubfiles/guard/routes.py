from litestar import post
from litestar.params import FromPath

from quartet.kernel.web import Injected, Request, identity_of
from quartet.sync.hub.shared import SharedHub
from quartet.sync.hubfiles.guard.service import Guard


@post("/api/folders/{folder_id:int}/devices/{device_id:int}/release", status_code=204)
async def release_share(
    request: Request,
    folder_id: FromPath[int],
    device_id: FromPath[int],
    guard: Injected[Guard],
    hub: Injected[SharedHub],
) -> None:
    """Allow a device's deletions in a folder that the delete guard is holding."""
    await hub.call_owner(guard.release, identity_of(request).subject, folder_id, device_id)


ROUTES = [release_share]
