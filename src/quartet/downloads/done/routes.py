from typing import Annotated
from urllib.parse import quote

from litestar import get, post
from litestar.params import FromQuery, QueryParameter
from litestar.response import Stream

from quartet.downloads.done.service import DoneService
from quartet.downloads.done.types import (
    Chosen,
    Deleted,
    FolderContents,
    FoundFile,
    MadeFolder,
    Moving,
    NewFolder,
    Renamed,
    Renaming,
)
from quartet.kernel.web import Injected, JSONBody


@get("/api/files")
async def list_files(done: Injected[DoneService], path: FromQuery[str] = "") -> FolderContents:
    """List a folder; all paths are relative to the done folder."""
    return await done.folder(path)


@get("/api/files/folders")
async def list_folders(done: Injected[DoneService]) -> list[str]:
    """List all folders in the done folder, as targets for moving files."""
    return await done.folders()


@get("/api/files/search")
async def find_files(
    done: Injected[DoneService], q: Annotated[str, QueryParameter(max_length=200)] = ""
) -> list[FoundFile]:
    """Find files and folders by the words in their names, at most 20."""
    return await done.find(q)


@get("/api/files/content", media_type="application/octet-stream")
async def read_file(done: Injected[DoneService], path: FromQuery[str]) -> Stream:
    """Send a file, for saving it on the device of the browser."""
    opened = await done.open(path)
    headers = {
        "content-length": str(opened.size),
        "content-disposition": f"attachment; filename*=UTF-8''{quote(opened.name, safe='')}",
    }
    return Stream(opened.pieces(), headers=headers, media_type="application/octet-stream")


@post("/api/files/delete", status_code=204, audit="deleted")
async def delete_files(data: JSONBody[Chosen], done: Injected[DoneService]) -> None:
    """Delete files and folders permanently."""
    await done.delete(data.paths)


@post("/api/files/delete-archives", status_code=200, audit="deleted")
async def delete_archives(data: JSONBody[Chosen], done: Injected[DoneService]) -> Deleted:
    """Delete archives: all in a folder, or the one a file belongs to."""
    return Deleted(await done.delete_archives(data.paths))


@post("/api/files/extract", status_code=202)
async def extract_files(data: JSONBody[Chosen], done: Injected[DoneService]) -> None:
    """Extract archives in the background: all in a folder, or the one a file belongs to."""
    await done.extract(data.paths)


@post("/api/files/move", status_code=204)
async def move_files(data: JSONBody[Moving], done: Injected[DoneService]) -> None:
    """Move files into a folder; a number is added to a name that is taken."""
    await done.move(data.paths, data.to)


@post("/api/files/rename", status_code=200)
async def rename_file(data: JSONBody[Renaming], done: Injected[DoneService]) -> Renamed:
    """Give a file or folder another name, which must not be taken."""
    return Renamed(await done.rename(data.path, data.name))


@post("/api/files/mkdir", status_code=200)
async def make_folder(data: JSONBody[NewFolder], done: Injected[DoneService]) -> MadeFolder:
    """Create a folder, at the top level or in `path`."""
    return MadeFolder(await done.make_folder(data.path, data.name))


ROUTES = [
    list_files,
    list_folders,
    find_files,
    read_file,
    delete_files,
    delete_archives,
    extract_files,
    move_files,
    rename_file,
    make_folder,
]
