"""The two job queues: one for previews, one for executions."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from quartet.kernel.db import Database
from quartet.kernel.errors import problem_of
from quartet.media.jobs import store
from quartet.media.jobs.execute.completion import JobCompletion
from quartet.media.jobs.preview.builder import JobCancelled
from quartet.media.jobs.records import JobRecord
from quartet.media.jobs.types import JobStatus

log = logging.getLogger("quartet.media.jobs")

Handle = Callable[[JobRecord], Awaitable[None]]


class JobQueue:
    """The queue is stored in the database, so that it survives a restart."""

    def __init__(
        self, db: Database, claims: JobStatus, handle: Handle, completion: JobCompletion
    ) -> None:
        self._db = db
        self._claims = claims
        self._handle = handle
        self._completion = completion
        self._wakeup = asyncio.Event()

    def wake(self) -> None:
        self._wakeup.set()

    async def run(self) -> None:
        while True:
            self._wakeup.clear()
            job = await self._db.read(store.oldest, self._claims)
            if job is None:
                await self._wakeup.wait()
            elif await self._claim(job):
                await self._run_one(job)

    async def _claim(self, job: JobRecord) -> bool:
        """Return False if the job was cancelled in the meantime."""
        previewing: JobStatus = "scanning" if job.begin == "scan" else "matching"
        job.status = previewing if self._claims == "pending" else "executing"
        return await self._db.write(
            lambda tx: store.change_status(tx.conn, job.id, [self._claims], job.status)
        )

    async def _run_one(self, job: JobRecord) -> None:
        try:
            await self._handle(job)
        except JobCancelled:
            await self._completion.job_cancelled(job)
        except Exception as error:
            log.warning("job %d failed: %s", job.id, error, exc_info=_unexpected(error))
            await self._completion.job_failed(job, problem_of(error))


def _unexpected(error: Exception) -> Exception | None:
    return error if problem_of(error).code == "internal" else None
