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


@post("/api/packages/{package_id:int}/start-now", status_code=204)
async def start_package_now(package_id: FromPath[int], queue: Injected[Queue]) -> None:
    """Start the downloads of a package even if all slots are used or the schedule pauses them.

    They need no slot until they end or are paused. The limit per host and what hosters demand still
    apply, and no more than ten such downloads run at the same time. Failed downloads are retried.
    """
    await queue.start_package_now(package_id)


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


@post("/api/downloads/{download_id:int}/start-now", status_code=204)
async def start_download_now(download_id: FromPath[int], queue: Injected[Queue]) -> None:
    """Start a download of the queue like `/api/packages/{id}/start-now`."""
    await queue.start_download_now(download_id)


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


@post("/api/downloads/stop-after-running", status_code=204)
async def stop_after_running(queue: Injected[Queue]) -> None:
    """Start no other downloads, and pause all when those that are running have ended.

    `stopsAfter` in `/api/stats` says how many are left. Downloads that are started now still start.
    """
    await queue.stop_after_running()


@post("/api/downloads/cancel-stop", status_code=204)
async def cancel_stop(queue: Injected[Queue]) -> None:
    """Start downloads again; pausing or resuming all downloads also does so."""
    await queue.cancel_stop()


@post("/api/downloads/clear-finished", status_code=204, audit="deleted")
async def clear_finished(queue: Injected[Queue]) -> None:
    """Remove finished downloads from the queue; their files are kept."""
    await queue.clear("finished")


ROUTES = [
    start_package,
    pause_package,
    resume_package,
    start_package_now,
    delete_package,
    read_download,
    pause_download,
    resume_download,
    start_download_now,
    change_download,
    delete_download,
    pause_all,
    resume_all,
    stop_after_running,
    cancel_stop,
    clear_finished,
]
