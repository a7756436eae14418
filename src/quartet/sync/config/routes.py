from typing import Annotated

from litestar import delete, get, patch, post, put
from litestar.params import FromPath, QueryParameter

from quartet.kernel.web import Injected, JSONBody, Request, identity_of
from quartet.sync.config.service.devices import Devices
from quartet.sync.config.service.folders import Folders
from quartet.sync.config.service.pauses import Pauses
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.service.shares import ShareDrafts
from quartet.sync.config.types.devices import DeviceChange, PathTemplate
from quartet.sync.config.types.folders import FolderChange, NewFolder, ShownFolder, shown_folder
from quartet.sync.config.types.restoring import RestorePreview
from quartet.sync.config.types.revisions import Revision
from quartet.sync.config.types.shares import Draft, Preview, Revised, ShareSelection
from quartet.sync.protocol.limits import LARGEST_NUMBER


@get("/api/revisions")
async def list_revisions(
    revisions: Injected[Revisions],
    before: Annotated[int | None, QueryParameter(ge=0, le=LARGEST_NUMBER)] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=500)] = 50,
) -> list[Revision]:
    """List revisions, newest first; `before` is the last revision already seen."""
    return await revisions.page(before, limit)


@get("/api/revisions/{revision:int}/changes")
async def preview_restore(
    revision: FromPath[int], revisions: Injected[Revisions]
) -> RestorePreview:
    """Return what restoring a revision would change."""
    return await revisions.preview_restore(revision)


@post("/api/revisions/{revision:int}/restore", status_code=200)
async def restore_revision(
    request: Request, revision: FromPath[int], revisions: Injected[Revisions]
) -> Revised:
    """Restore the folders and shares of a revision as a new revision; devices do not change."""
    return Revised(await revisions.restore(identity_of(request).subject, revision))


@patch("/api/devices/{device_id:int}", status_code=204)
async def change_device(
    request: Request,
    device_id: FromPath[int],
    data: JSONBody[DeviceChange],
    devices: Injected[Devices],
) -> None:
    """Change the name, kind, traffic limits or hub of a device, or block it; a blocked device is
    disconnected at once.
    """
    await devices.change(identity_of(request).subject, device_id, data)


@put("/api/path-template", status_code=204)
async def set_path_template(
    request: Request, data: JSONBody[PathTemplate], devices: Injected[Devices]
) -> None:
    """Set where new shares are stored on devices without a template of their own."""
    await devices.set_path_template(identity_of(request).subject, data.template)


@delete("/api/devices/{device_id:int}", status_code=204, audit="deleted")
async def remove_device(
    request: Request, device_id: FromPath[int], devices: Injected[Devices]
) -> None:
    """Remove a device; its files are kept."""
    await devices.remove(identity_of(request).subject, device_id)


@post("/api/folders", status_code=201)
async def add_folder(
    request: Request, data: JSONBody[NewFolder], folders: Injected[Folders]
) -> ShownFolder:
    """Add a folder; the hub stores it, and no device has it yet."""
    return shown_folder(await folders.add(identity_of(request).subject, data))


@patch("/api/folders/{folder_id:int}", status_code=200)
async def change_folder(
    request: Request,
    folder_id: FromPath[int],
    data: JSONBody[FolderChange],
    folders: Injected[Folders],
) -> ShownFolder:
    """Change the label, ignore patterns or versioning; omitted fields stay unchanged."""
    return shown_folder(await folders.change(identity_of(request).subject, folder_id, data))


@delete("/api/folders/{folder_id:int}", status_code=204, audit="deleted")
async def remove_folder(
    request: Request, folder_id: FromPath[int], folders: Injected[Folders]
) -> None:
    """Remove a folder from every device and the hub; its files are kept."""
    await folders.remove(identity_of(request).subject, folder_id)


@post("/api/shares", status_code=200)
async def apply_draft(
    request: Request, data: JSONBody[Draft], drafts: Injected[ShareDrafts]
) -> Revised:
    """Apply all changes of a draft as one revision, or none; the error lists every invalid row."""
    return Revised(await drafts.apply(identity_of(request).subject, data))


@post("/api/shares/preview", status_code=200)
async def preview_draft(data: JSONBody[Draft], drafts: Injected[ShareDrafts]) -> Preview:
    """Return what a draft would change on each device."""
    return drafts.preview(data)


@post("/api/shares/pause", status_code=200)
async def pause_shares(
    request: Request, data: JSONBody[ShareSelection], pauses: Injected[Pauses]
) -> Revised:
    """Pause folders on devices: the devices neither scan nor sync them until they are resumed."""
    return Revised(await pauses.set(identity_of(request).subject, data.shares, paused=True))


@post("/api/shares/resume", status_code=200)
async def resume_shares(
    request: Request, data: JSONBody[ShareSelection], pauses: Injected[Pauses]
) -> Revised:
    """Resume paused folders; the devices then sync what has changed in the meantime."""
    return Revised(await pauses.set(identity_of(request).subject, data.shares, paused=False))


@post("/api/epochs", status_code=204, audit="epoch_begun")
async def begin_epoch(request: Request, revisions: Injected[Revisions]) -> None:
    """Make all devices follow this server again, after they followed another copy of it."""
    await revisions.begin_epoch(identity_of(request).subject)


ROUTES = [
    list_revisions,
    preview_restore,
    restore_revision,
    begin_epoch,
    change_device,
    set_path_template,
    remove_device,
    add_folder,
    change_folder,
    remove_folder,
    apply_draft,
    preview_draft,
    pause_shares,
    resume_shares,
]
