from litestar import delete, get, patch, post
from litestar.params import FromPath, FromQuery

from quartet.downloads.queue.service import DetailsReader, Queue
from quartet.downloads.queue.types import DownloadChange, DownloadDetails, Start
from quartet.kernel.web import Injected, JSONBody


# The body is optional, and without one there is no content type either.
@post("/api/packages/{package_id:int}/start", status_code=204, opt={"accepts": "json or nothing"})
async def start_package(
    package_id: FromPath[int], queue: Injected[Queue], data: JSONBody[Start | None] = None
) -> None:
    """Move a package, or some of its downloads, from the link grabber to the queue."""
    await queue.start(package_id, data.download_ids if data else None)


@post("/api/packages/{package_id:int}/pause", status_code=204)
async def pause_package(package_id: FromPath[int], queue: Injected[Queue]) -> None:
    """Pause all queued and running downloads of a package."""
    await queue.pause_package(package_id)


@post("/api/packages/{package_id:int}/resume", status_code=204)
async def resume_package(package_id: FromPath[int], queue: Injected[Queue]) -> None:
    """Resume the paused downloads of a package and retry the failed ones."""
    await queue.resume_package(package_id)


@delete("/api/packages/{package_id:int}", status_code=204, audit="deleted")
async def delete_package(
    package_id: FromPath[int], queue: Injected[Queue], files: FromQuery[bool] = False
) -> None:
    """Remove a package from the queue; `files` also deletes its finished files from the disk."""
    await queue.delete_package(package_id, files=files)


@get("/api/downloads/{download_id:int}")
async def read_download(
    download_id: FromPath[int], details: Injected[DetailsReader]
) -> DownloadDetails:
    """Return one download with its segments and its failed attempts."""
    return await details.read(download_id)


@post("/api/downloads/{download_id:int}/pause", status_code=204)
async def pause_download(download_id: FromPath[int], queue: Injected[Queue]) -> None:
    """Pause a download."""
    await queue.pause_download(download_id)


@post("/api/downloads/{download_id:int}/resume", status_code=204)
async def resume_download(download_id: FromPath[int], queue: Injected[Queue]) -> None:
    """Resume a paused download or retry a failed one."""
    await queue.resume_download(download_id)


@patch("/api/downloads/{download_id:int}", status_code=204)
async def change_download(
    download_id: FromPath[int], data: JSONBody[DownloadChange], queue: Injected[Queue]
) -> None:
    """Change name, priority and speed limit; omitted fields stay unchanged.

    The name of a finished download is that of its file, which `POST /api/files/rename` changes.
    """
    await queue.change_download(download_id, data)


@delete("/api/downloads/{download_id:int}", status_code=204, audit="deleted")
async def delete_download(
    download_id: FromPath[int], queue: Injected[Queue], files: FromQuery[bool] = False
) -> None:
    """Remove a download from the queue; `files` also deletes its finished file from the disk."""
    await queue.delete_download(download_id, files=files)


@post("/api/downloads/pause-all", status_code=204)
async def pause_all(queue: Injected[Queue]) -> None:
    """Pause all queued and running downloads."""
    await queue.pause_all()


@post("/api/downloads/resume-all", status_code=204)
async def resume_all(queue: Injected[Queue]) -> None:
    """Resume all paused downloads."""
    await queue.resume_all()


@post("/api/downloads/clear-finished", status_code=204, audit="deleted")
async def clear_finished(queue: Injected[Queue]) -> None:
    """Remove finished downloads from the queue; their files are kept."""
    await queue.clear("finished")


ROUTES = [
    start_package,
    pause_package,
    resume_package,
    delete_package,
    read_download,
    pause_download,
    resume_download,
    change_download,
    delete_download,
    pause_all,
    resume_all,
    clear_finished,
]
