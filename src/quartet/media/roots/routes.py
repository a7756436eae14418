from typing import Annotated

from litestar import delete, get, patch, post
from litestar.params import FromPath, FromQuery, QueryParameter

from quartet.kernel.web import Injected, JSONBody
from quartet.media.roots.browse import MOST_ENTRIES
from quartet.media.roots.service import Folders
from quartet.media.roots.types import Browsed, Folder, FolderChange, NewFolder


@get("/api/folders")
async def list_folders(folders: Injected[Folders]) -> list[Folder]:
    """Lists the configured folders."""
    return await folders.all()


@post("/api/folders", status_code=201)
async def add_folder(data: JSONBody[NewFolder], folders: Injected[Folders]) -> Folder:
    """Adds an existing folder. The first library of a kind becomes its default."""
    return await folders.add(data)


@patch("/api/folders/{folder_id:int}")
async def change_folder(
    folder_id: FromPath[int], data: JSONBody[FolderChange], folders: Injected[Folders]
) -> Folder:
    """Changes the name, kind or default."""
    return await folders.change(folder_id, data)


@delete("/api/folders/{folder_id:int}", status_code=204, audit="deleted")
async def remove_folder(folder_id: FromPath[int], folders: Injected[Folders]) -> None:
    """Removes a folder from the configuration; files are not touched."""
    await folders.remove(folder_id)


@get("/api/browse")
async def browse_folder(
    folders: Injected[Folders],
    path: FromQuery[str] = "",
    cursor: FromQuery[str | None] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=MOST_ENTRIES)] = MOST_ENTRIES,
) -> Browsed:
    """Lists a folder; without a path, the configured folders."""
    return await folders.browse(path, cursor, limit)


@get("/api/browse/machine")
async def browse_machine(folders: Injected[Folders], path: FromQuery[str] = "") -> Browsed:
    """Lists folders that can be added; without a path, disks and top-level folders."""
    return await folders.browse_machine(path)


ROUTES = [list_folders, add_folder, change_folder, remove_folder, browse_folder, browse_machine]
