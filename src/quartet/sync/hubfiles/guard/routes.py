from litestar import get, post
from litestar.params import FromPath

from quartet.kernel.web import Injected, Request, identity_of
from quartet.sync.accounts.access import EDITOR, READER
from quartet.sync.hub.shared import SharedHub
from quartet.sync.hubfiles.guard.service import Holds
from quartet.sync.hubfiles.guard.types import HeldChanges

SHARE = "/api/folders/{folder_id:int}/devices/{device_id:int}"


@get(f"{SHARE}/held", **READER)
async def held_changes(
    folder_id: FromPath[int], device_id: FromPath[int], holds: Injected[Holds]
) -> HeldChanges:
    """Return what a device wanted to change when the delete guard put its share on hold."""
    return await holds.changes(folder_id, device_id)


@post(f"{SHARE}/release", status_code=204, audit="held_changes_released")
async def release_share(
    request: Request,
    folder_id: FromPath[int],
    device_id: FromPath[int],
    holds: Injected[Holds],
    hub: Injected[SharedHub],
) -> None:
    """Let the changes of a device proceed that the delete guard is holding."""
    await hub.call_owner(holds.release, identity_of(request).subject, folder_id, device_id)


@post(f"{SHARE}/undo", status_code=204, audit="held_changes_undone", **EDITOR)
async def undo_held_changes(
    request: Request,
    folder_id: FromPath[int],
    device_id: FromPath[int],
    holds: Injected[Holds],
    hub: Injected[SharedHub],
) -> None:
    """Restore a device from the hub whose changes the delete guard is holding."""
    await hub.call_owner(holds.undo, identity_of(request).subject, folder_id, device_id)


ROUTES = [held_changes, release_share, undo_held_changes]
