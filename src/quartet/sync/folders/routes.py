from litestar import delete, patch, post
from litestar.params import FromPath

from quartet.kernel.web import Injected, JSONBody, Request, identity_of
from quartet.sync.folders.service import Folders
from quartet.sync.folders.types import FolderChange, NewFolder
from quartet.sync.live.types import ShownFolder
from quartet.sync.live.views import shown_folder


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


ROUTES = [add_folder, change_folder, remove_folder]
