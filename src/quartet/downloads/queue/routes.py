from litestar import delete, get, patch, post
from litestar.params import FromPath, FromQuery

from quartet.downloads.queue.details import Details
from quartet.downloads.queue.service import Queue
from quartet.downloads.queue.types import DownloadChange, DownloadDetails, Start
from quartet.kernel.web import Injected, JSONBody


# No body at all is fine, and then there is no content type either.
@post("/api/packages/{package_id:int}/start", status_code=204, opt={"accepts": "json or nothing"})
async def start_package(
    package_id: FromPath[int], queue: Injected[Queue], data: JSONBody[Start | None] = None
) -> None:
    """From the link grabber into the queue: the whole package, or some of its downloads."""
    await queue.start(package_id, data.download_ids if data else None)


@post("/api/packages/{package_id:int}/pause", status_code=204)
async def pause_package(package_id: FromPath[int], queue: Injected[Queue]) -> None:
    """Pauses what waits and what runs."""
    await queue.pause_package(package_id)


@post("/api/packages/{package_id:int}/resume", status_code=204)
async def resume_package(package_id: FromPath[int], queue: Injected[Queue]) -> None:
    """Goes on with what is paused, and tries again what failed."""
    await queue.resume_package(package_id)


@delete("/api/packages/{package_id:int}", status_code=204)
async def delete_package(
    package_id: FromPath[int], queue: Injected[Queue], files: FromQuery[bool] = False
) -> None:
    """Removes it from the list; `files` removes what is finished from the disk, too."""
    await queue.delete_package(package_id, files=files)


@get("/api/downloads/{download_id:int}")
async def read_download(download_id: FromPath[int], details: Injected[Details]) -> DownloadDetails:
    """One download with the segments it is fetched in and what went wrong before."""
    return await details.of(download_id)


@post("/api/downloads/{download_id:int}/pause", status_code=204)
async def pause_download(download_id: FromPath[int], queue: Injected[Queue]) -> None:
    """Pauses one download."""
    await queue.pause_download(download_id)


@post("/api/downloads/{download_id:int}/resume", status_code=204)
async def resume_download(download_id: FromPath[int], queue: Injected[Queue]) -> None:
    """Goes on with one download, or tries it again."""
    await queue.resume_download(download_id)


@patch("/api/downloads/{download_id:int}", status_code=204)
async def change_download(
    download_id: FromPath[int], data: JSONBody[DownloadChange], queue: Injected[Queue]
) -> None:
    """Priority and speed limit; what is missing stays as it is."""
    await queue.change_download(download_id, data)


@delete("/api/downloads/{download_id:int}", status_code=204)
async def delete_download(
    download_id: FromPath[int], queue: Injected[Queue], files: FromQuery[bool] = False
) -> None:
    """Removes it from the list; `files` removes a finished file from the disk, too."""
    await queue.delete_download(download_id, files=files)


@post("/api/downloads/pause-all", status_code=204)
async def pause_all(queue: Injected[Queue]) -> None:
    """Pauses everything that waits or runs."""
    await queue.pause_all()


@post("/api/downloads/resume-all", status_code=204)
async def resume_all(queue: Injected[Queue]) -> None:
    """Goes on with everything that is paused."""
    await queue.resume_all()


@post("/api/downloads/clear-finished", status_code=204)
async def clear_finished(queue: Injected[Queue]) -> None:
    """Removes what is finished from the list; the files stay."""
    await queue.clear_finished()


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
