from litestar import delete, get, post, put
from litestar.params import FromPath

from quartet.kernel.web import Injected, JSONBody
from quartet.media.watch.service import WatchFolders
from quartet.media.watch.types import NewWatchFolder, WatchFolder


@get("/api/watch-folders")
async def list_watch_folders(watch_folders: Injected[WatchFolders]) -> list[WatchFolder]:
    return await watch_folders.all()


@post("/api/watch-folders", status_code=201)
async def add_watch_folder(
    data: JSONBody[NewWatchFolder], watch_folders: Injected[WatchFolders]
) -> WatchFolder:
    """Starts watching a folder. Existing files are ignored unless `existing` is set."""
    return await watch_folders.add(data)


@put("/api/watch-folders/{folder_id:int}")
async def change_watch_folder(
    folder_id: FromPath[int], data: JSONBody[NewWatchFolder], watch_folders: Injected[WatchFolders]
) -> WatchFolder:
    return await watch_folders.change(folder_id, data)


@delete("/api/watch-folders/{folder_id:int}", status_code=204, audit="deleted")
async def remove_watch_folder(
    folder_id: FromPath[int], watch_folders: Injected[WatchFolders]
) -> None:
    """Stops watching a folder; its jobs are kept."""
    await watch_folders.remove(folder_id)


ROUTES = [list_watch_folders, add_watch_folder, change_watch_folder, remove_watch_folder]
