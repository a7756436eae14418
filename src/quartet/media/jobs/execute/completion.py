"""Sets the final status of a job after its preview, its execution, a cancellation or a failure."""

import logging
from collections.abc import Callable, Sequence

from quartet.kernel.clock import now_ms
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import Problem
from quartet.media.jobs import store, store_item_counts, store_items
from quartet.media.jobs.progress import (
    ProgressReporter,
    emit_inbox_added,
    emit_items_changed,
    emit_job_changed,
)
from quartet.media.jobs.records import ItemRecord, JobRecord, JobResult
from quartet.media.jobs.types import JobStatus
from quartet.media.moves.types import Operation

log = logging.getLogger("quartet.media.jobs")

Listener = Callable[[JobResult], None]

_MOST_REPORTED_FILES = 100
_MINUTE = 60_000
# Milliseconds before a catalog that did not answer is asked again; the last one is repeated.
_RETRY_PAUSES = (1 * _MINUTE, 5 * _MINUTE, 15 * _MINUTE, 60 * _MINUTE, 360 * _MINUTE)
_MOST_RETRIES = 16
# Not running, and not undone yet.
_IDLE: tuple[JobStatus, ...] = ("done", "failed", "cancelled", "ready")


class JobCompletion:
    def __init__(self, db: Database, progress: ProgressReporter) -> None:
        self._db = db
        self._progress = progress
        # Called on the event loop after the commit; must not block.
        self.listeners: list[Listener] = []

    async def preview_finished(self, job: JobRecord, *, catalog_failed: bool) -> None:
        """A manual job waits for its user; an automatic job continues with the confident items."""
        self._progress.forget(job.id)

        def work(tx: Tx) -> list[int]:
            if job.is_automatic and store_items.mark_chosen(tx.conn, job.id, None):
                _set_status(tx, job, "queued")
            else:
                _set_resting_status(tx, job)
            store.change(tx.conn, job.id, begin="render")
            _set_retry(tx, job, catalog_failed=catalog_failed)
            waiting = store_items.ids_in_state(tx.conn, job.id, "needs_review")
            if not job.is_automatic:
                return []
            emit_inbox_added(tx, waiting)
            return waiting

        waiting = await self._db.write(work)
        log.info("job %d previewed: %d files, %s", job.id, job.total, job.status)
        # After a retry, these files have already been reported.
        if waiting and job.begin != "retry":
            self._notify_listeners(JobResult("inbox", job, waiting=len(waiting)))

    async def execution_finished(
        self, job: JobRecord, items: Sequence[ItemRecord], *, stopped: bool
    ) -> None:
        done = [item for item in items if item.state == "done"]
        failed = [item for item in items if item.state == "failed"]
        # The file changed after the preview.
        waiting = [one.id for one in items if job.is_automatic and one.state == "needs_review"]
        self._progress.forget(job.id)

        def work(tx: Tx) -> None:
            _set_final_status(tx, job, [] if done else failed, stopped=stopped)
            emit_inbox_added(tx, waiting)

        await self._db.write(work)
        log.info(
            "job %d executed: %d files done, %d failed, %s",
            job.id,
            len(done),
            len(failed),
            job.status,
        )
        if waiting:
            self._notify_listeners(JobResult("inbox", job, waiting=len(waiting)))
        if done or failed:
            self._notify_listeners(_result_of(job, items, done, failed))

    async def set_resting_status(self, job: JobRecord) -> None:
        await self._db.write(_set_resting_status, job)

    async def job_cancelled(self, job: JobRecord) -> None:
        self._progress.forget(job.id)
        await self._db.write(_set_status, job, "cancelled")
        log.info("job %d cancelled", job.id)

    async def job_failed(self, job: JobRecord, problem: Problem) -> None:
        self._progress.forget(job.id)

        def work(tx: Tx) -> None:
            store_items.clear_chosen(tx.conn, job.id)
            _set_status(tx, job, "failed", problem)

        await self._db.write(work)
        self._notify_listeners(JobResult("failed", job))

    def items_undone(self, tx: Tx, operations: Sequence[Operation]) -> None:
        """Called in the transaction of an undo."""
        mark_items_undone(
            tx, sorted({one.item_id for one in operations if one.item_id is not None})
        )

    def _notify_listeners(self, result: JobResult) -> None:
        for listener in self.listeners:
            listener(result)


def _set_retry(tx: Tx, job: JobRecord, *, catalog_failed: bool) -> None:
    job.retry_at = None
    if not catalog_failed:
        job.retries = 0
    elif job.retries < _MOST_RETRIES:
        pause = _RETRY_PAUSES[min(job.retries, len(_RETRY_PAUSES) - 1)]
        job.retries, job.retry_at = job.retries + 1, now_ms() + pause
        log.info("job %d: catalog did not answer, asking again in %d s", job.id, pause // 1000)
    store.change(tx.conn, job.id, retries=job.retries, retry_at=job.retry_at)


def mark_items_undone(tx: Tx, ids: Sequence[int]) -> None:
    """Mark the items whose operations have all been undone."""
    left = store_items.with_done_operations(tx.conn, ids)
    gone = [row for row in store_items.by_ids(tx.conn, ids) if row.id not in left]
    store_items.set_state(tx.conn, [row.id for row in gone], "undone")
    for job_id in sorted({row.job_id for row in gone}):
        mine = [row.id for row in gone if row.job_id == job_id]
        _mark_job_undone(tx, job_id, mine)


def _mark_job_undone(tx: Tx, job_id: int, ids: list[int]) -> None:
    emit_items_changed(tx, job_id, ids)
    job = store.find(tx.conn, job_id)
    if job and job.status in _IDLE and not store_item_counts.of_job(tx.conn, job_id, ["done"]):
        _set_status(tx, job, "undone")
        store.change(tx.conn, job_id, cleaned=None)


def _result_of(
    job: JobRecord,
    items: Sequence[ItemRecord],
    done: Sequence[ItemRecord],
    failed: Sequence[ItemRecord],
) -> JobResult:
    return JobResult(
        "done" if done else "failed",
        job,
        len(done),
        len(failed),
        files=tuple((item.source, item.target or "") for item in done[:_MOST_REPORTED_FILES]),
        items=tuple(one for one in items if one.state in ("done", "failed")),
    )


def _set_final_status(
    tx: Tx, job: JobRecord, failed: Sequence[ItemRecord], *, stopped: bool
) -> None:
    """Set the status after an execution; `failed` is empty unless all files failed."""
    if stopped:
        store_items.clear_chosen(tx.conn, job.id)
        _set_status(tx, job, "cancelled")
    elif store_items.chosen_count(tx.conn, job.id):
        # Items were approved during the execution.
        _set_status(tx, job, "queued")
    elif failed:
        _set_status(tx, job, "failed", failed[0].error)
    else:
        _set_resting_status(tx, job)


def _set_resting_status(tx: Tx, job: JobRecord) -> None:
    """Set "ready" while an item still needs a decision, otherwise "done"."""
    if store_item_counts.of_job(tx.conn, job.id, ["ready", "needs_review"]):
        _set_status(tx, job, "ready")
    elif store_item_counts.of_job(tx.conn, job.id, ["done", "skipped", "failed", "undone"]):
        _set_status(tx, job, "done")
    else:
        _set_status(tx, job, "done", Problem("no_files"))


def _set_status(tx: Tx, job: JobRecord, status: JobStatus, error: Problem | None = None) -> None:
    job.status, job.error = status, error
    job.finished_at = None if status in ("ready", "queued") else now_ms()
    if status in ("ready", "done"):
        job.done = job.total
    elif status == "queued":
        job.done = 0
    store.change(
        tx.conn,
        job.id,
        status=status,
        error=error,
        done=job.done,
        total=job.total,
        finished_at=job.finished_at,
    )
    emit_job_changed(tx, job)
