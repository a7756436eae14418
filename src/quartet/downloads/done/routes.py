from litestar import get, post
from litestar.params import FromQuery

from quartet.downloads.done.service import Done
from quartet.downloads.done.types import Chosen, Deleted, Folder, MadeFolder, Moving, NewFolder
from quartet.kernel.web import Injected, JSONBody


@get("/api/files")
async def list_files(done: Injected[Done], path: FromQuery[str] = "") -> Folder:
    """A folder of the done folder; all paths are relative to that."""
    return await done.folder(path)


@get("/api/files/folders")
async def list_folders(done: Injected[Done]) -> list[str]:
    """Every folder in the done folder, to move things to."""
    return await done.folders()


@post("/api/files/delete", status_code=204)
async def delete_files(data: JSONBody[Chosen], done: Injected[Done]) -> None:
    """Deletes files and folders for good."""
    await done.delete(data.paths)


@post("/api/files/delete-archives", status_code=200)
async def delete_archives(data: JSONBody[Chosen], done: Injected[Done]) -> Deleted:
    """Deletes archives: all in a folder, or the one a file is part of."""
    return Deleted(await done.delete_archives(data.paths))


@post("/api/files/extract", status_code=202)
async def extract_files(data: JSONBody[Chosen], done: Injected[Done]) -> None:
    """Unpacks archives in the background: all in a folder, or the one a file is part of."""
    await done.extract(data.paths)


@post("/api/files/move", status_code=204)
async def move_files(data: JSONBody[Moving], done: Injected[Done]) -> None:
    """Moves into a folder; a name that is taken there gets a number."""
    await done.move(data.paths, data.to)


@post("/api/files/mkdir", status_code=200)
async def make_folder(data: JSONBody[NewFolder], done: Injected[Done]) -> MadeFolder:
    """Makes one folder, at the top or in `path`."""
    return MadeFolder(await done.make_folder(data.path, data.name))


ROUTES = [
    list_files,
    list_folders,
    delete_files,
    delete_archives,
    extract_files,
    move_files,
    make_folder,
]
