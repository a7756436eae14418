from typing import Annotated

from litestar import delete, get, patch, post
from litestar.params import FromPath, QueryParameter

from quartet.kernel.web import Injected, JSONBody
from quartet.media.history.types import Undone
from quartet.media.jobs.catalog_retries import CatalogRetries
from quartet.media.jobs.service import Jobs
from quartet.media.jobs.types import (
    MOST_ITEMS,
    Execution,
    ItemPage,
    ItemsChange,
    ItemState,
    Job,
    JobItem,
    JobKind,
    JobPage,
    JobStatus,
    NewJob,
    NewPreview,
)
from quartet.media.types import LARGEST_ID

Cursor = Annotated[int | None, QueryParameter(ge=1, le=LARGEST_ID)]


@get("/api/jobs")
async def list_jobs(
    jobs: Injected[Jobs],
    cursor: Cursor = None,
    status: Annotated[list[JobStatus] | None, QueryParameter()] = None,
    kind: Annotated[JobKind | None, QueryParameter()] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=200)] = 50,
) -> JobPage:
    """Lists jobs, newest first."""
    return await jobs.page(cursor, status or [], kind, limit)


@post("/api/jobs/manual", status_code=202)
async def create_job(data: JSONBody[NewJob], jobs: Injected[Jobs]) -> Job:
    """Creates a manual job. Its preview is built in the background; execute it afterwards."""
    return await jobs.create(data)


@get("/api/jobs/{job_id:int}")
async def read_job(job_id: FromPath[int], jobs: Injected[Jobs]) -> Job:
    return await jobs.find(job_id)


@get("/api/jobs/{job_id:int}/items")
async def list_items(
    job_id: FromPath[int],
    jobs: Injected[Jobs],
    states: Annotated[list[ItemState] | None, QueryParameter(name="state")] = None,
    q: Annotated[str, QueryParameter(max_length=200, pattern=r"^[^\x00]*$")] = "",
    cursor: Cursor = None,
    limit: Annotated[int, QueryParameter(ge=1, le=MOST_ITEMS)] = 2000,
) -> ItemPage:
    """Lists the files of a job. `q` searches old and new paths."""
    return await jobs.items(job_id, states or [], q, cursor, limit)


@patch("/api/jobs/{job_id:int}/items")
async def change_items(
    job_id: FromPath[int], data: JSONBody[ItemsChange], jobs: Injected[Jobs]
) -> list[JobItem]:
    """Sets the match, target, exclusion or approval of items and returns the changed items."""
    return await jobs.change_items(job_id, data)


@post("/api/jobs/{job_id:int}/preview", status_code=202)
async def recompute_preview(
    job_id: FromPath[int], data: JSONBody[NewPreview], jobs: Injected[Jobs]
) -> Job:
    """Recomputes all targets. Matches and approvals set by a user are kept."""
    return await jobs.preview(job_id, data)


@post("/api/jobs/{job_id:int}/execute", status_code=202)
async def execute_job(
    job_id: FromPath[int], data: JSONBody[Execution], jobs: Injected[Jobs]
) -> Job:
    """Executes all ready items or the given ones."""
    return await jobs.execute(job_id, data.item_ids)


@post("/api/jobs/{job_id:int}/retry", status_code=202)
async def retry_job(job_id: FromPath[int], retries: Injected[CatalogRetries]) -> Job:
    """Asks a catalog now that did not answer before."""
    return await retries.retry(job_id)


@post("/api/jobs/{job_id:int}/cancel", status_code=202)
async def cancel_job(job_id: FromPath[int], jobs: Injected[Jobs]) -> Job:
    """Cancels a job. A running job stops between two files, never within one."""
    return await jobs.cancel(job_id)


@post("/api/jobs/{job_id:int}/undo", status_code=200)
async def undo_job(job_id: FromPath[int], jobs: Injected[Jobs]) -> Undone:
    """Moves every file of the job back."""
    return await jobs.undo(job_id)


@delete("/api/jobs/{job_id:int}", status_code=204, audit="deleted")
async def remove_job(job_id: FromPath[int], jobs: Injected[Jobs]) -> None:
    """Removes a job. Files and history are kept."""
    await jobs.remove(job_id)


ROUTES = [
    list_jobs,
    create_job,
    read_job,
    list_items,
    change_items,
    recompute_preview,
    execute_job,
    retry_job,
    cancel_job,
    undo_job,
    remove_job,
]
