"""Asks catalogs again that did not answer, with growing pauses."""

import logging

from quartet.kernel.clock import now_ms
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.media.jobs import store
from quartet.media.jobs.progress import emit_job_changed
from quartet.media.jobs.records import JobRecord
from quartet.media.jobs.service import Jobs
from quartet.media.jobs.types import Job

log = logging.getLogger("quartet.media.jobs")


class CatalogRetries:
    def __init__(self, db: Database, jobs: Jobs) -> None:
        self._db = db
        self._jobs = jobs

    async def run_due(self) -> None:
        """Start the retries whose time has come."""
        started = await self._db.write(_start_due, now_ms())
        for job in started:
            log.info("job %d: asking the catalog again, attempt %d", job.id, job.retries)
        if started:
            self._jobs.preview_queue.wake()

    async def retry(self, job_id: int) -> Job:
        """Ask the catalog for this job now."""
        job = await self._jobs.find(job_id)
        if job.retry_at is None:
            raise AppError(409, "nothing_to_retry")
        await self._db.write(lambda tx: store.change(tx.conn, job_id, retry_at=now_ms()))
        await self.run_due()
        return await self._jobs.find(job_id)

    async def retry_all(self) -> None:
        """Ask for all waiting jobs now, for example because a key was changed."""
        await self._db.write(lambda tx: store.retry_all(tx.conn, now_ms()))
        await self.run_due()


def _start_due(tx: Tx, now: int) -> list[JobRecord]:
    found = store.due_retries(tx.conn, now)
    for job in found:
        job.status = "pending"
        store.change(
            tx.conn, job.id, status="pending", begin="retry", retry_at=None, error=None, done=0
        )
        emit_job_changed(tx, job)
    return found
