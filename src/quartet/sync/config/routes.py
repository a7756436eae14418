from typing import Annotated

from litestar import delete, get, patch, post
from litestar.params import FromPath, QueryParameter

from quartet.kernel.web import Injected, JSONBody, Request, identity_of
from quartet.sync.config.service.devices import Devices
from quartet.sync.config.service.folders import Folders
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.service.shares import ShareDrafts
from quartet.sync.config.types.devices import DeviceChange
from quartet.sync.config.types.folders import FolderChange, NewFolder, ShownFolder, shown_folder
from quartet.sync.config.types.revisions import Revision
from quartet.sync.config.types.shares import Draft, Preview, Revised
from quartet.sync.protocol.limits import LARGEST_NUMBER


@get("/api/revisions")
async def list_revisions(
    revisions: Injected[Revisions],
    before: Annotated[int | None, QueryParameter(ge=0, le=LARGEST_NUMBER)] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=500)] = 50,
) -> list[Revision]:
    """The newest first; `before` is the last revision seen."""
    return await revisions.page(before, limit)


@post("/api/revisions/{revision:int}/restore", status_code=200)
async def restore_revision(
    request: Request, revision: FromPath[int], revisions: Injected[Revisions]
) -> Revised:
    """Folders and shares as they were then, as a new revision; devices stay as they are."""
    return Revised(await revisions.restore(identity_of(request).subject, revision))


@patch("/api/devices/{device_id:int}", status_code=204)
async def change_device(
    request: Request,
    device_id: FromPath[int],
    data: JSONBody[DeviceChange],
    devices: Injected[Devices],
) -> None:
    """Name, kind, blocked, traffic, hub; a blocked device is cut off at once."""
    await devices.change(identity_of(request).subject, device_id, data)


@delete("/api/devices/{device_id:int}", status_code=204)
async def remove_device(
    request: Request, device_id: FromPath[int], devices: Injected[Devices]
) -> None:
    """Its files stay where they are."""
    await devices.remove(identity_of(request).subject, device_id)


@post("/api/folders", status_code=201)
async def add_folder(
    request: Request, data: JSONBody[NewFolder], folders: Injected[Folders]
) -> ShownFolder:
    """A folder that no device has yet; the hub keeps it from now on."""
    return shown_folder(await folders.add(identity_of(request).subject, data))


@patch("/api/folders/{folder_id:int}", status_code=200)
async def change_folder(
    request: Request,
    folder_id: FromPath[int],
    data: JSONBody[FolderChange],
    folders: Injected[Folders],
) -> ShownFolder:
    """Label, ignore patterns, versioning; what is missing stays as it is."""
    return shown_folder(await folders.change(identity_of(request).subject, folder_id, data))


@delete("/api/folders/{folder_id:int}", status_code=204)
async def remove_folder(
    request: Request, folder_id: FromPath[int], folders: Injected[Folders]
) -> None:
    """From every device and the hub; the files stay."""
    await folders.remove(identity_of(request).subject, folder_id)


@post("/api/shares", status_code=200)
async def apply_draft(
    request: Request, data: JSONBody[Draft], drafts: Injected[ShareDrafts]
) -> Revised:
    """Modes and paths as one revision, or none of them: every row that cannot be is named."""
    return Revised(await drafts.apply(identity_of(request).subject, data))


@post("/api/shares/preview", status_code=200)
async def preview_draft(data: JSONBody[Draft], drafts: Injected[ShareDrafts]) -> Preview:
    """What a draft would change on which device."""
    return drafts.preview(data)


ROUTES = [
    list_revisions,
    restore_revision,
    change_device,
    remove_device,
    add_folder,
    change_folder,
    remove_folder,
    apply_draft,
    preview_draft,
]
