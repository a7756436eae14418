"""Progress of running jobs: kept in memory and sent to browsers at a fixed rate."""

import asyncio
from collections.abc import Sequence

from quartet.kernel.batches import in_batches
from quartet.kernel.db import Tx
from quartet.kernel.events import Coalescer, EventHub
from quartet.media.jobs import store_items
from quartet.media.jobs.records import ItemRecord, JobRecord
from quartet.media.jobs.types import InboxAdded, ItemsChanged, JobChanged

_SECONDS = 0.25


class ProgressReporter:
    def __init__(self, hub: EventHub) -> None:
        self._coalescer = Coalescer(hub, _SECONDS)
        self._live: dict[int, tuple[int, int]] = {}

    @property
    def running(self) -> int:
        return len(self._live)

    def report(self, job: JobRecord, done: int, total: int) -> None:
        """Must be called on the event loop."""
        self._live[job.id] = done, total
        self._coalescer.put(job.id, JobChanged(job.id, job.status, done, total))

    def for_thread(self, job: JobRecord) -> "ThreadProgress":
        return ThreadProgress(self, job)

    def forget(self, job_id: int) -> None:
        """Drop pending progress, so that it cannot follow the next status."""
        self._live.pop(job_id, None)
        self._coalescer.forget(job_id)

    def with_live_progress(self, job: JobRecord) -> JobRecord:
        """Return the job with its current progress."""
        job.done, job.total = self._live.get(job.id, (job.done, job.total))
        return job


class ThreadProgress:
    """Reports progress from a worker thread, at a limited rate."""

    def __init__(self, progress: ProgressReporter, job: JobRecord) -> None:
        self._progress = progress
        self._job = job
        self._loop = asyncio.get_running_loop()
        self._next = 0.0

    def __call__(self, done: int, total: int) -> None:
        now = self._loop.time()
        if now >= self._next:
            self._next = now + _SECONDS
            self._loop.call_soon_threadsafe(self._progress.report, self._job, done, total)


def emit_job_changed(tx: Tx, job: JobRecord) -> None:
    tx.emit(JobChanged(job.id, job.status, job.done, job.total))


def save_items(tx: Tx, job_id: int, items: Sequence[ItemRecord]) -> None:
    """Save items and notify browsers."""
    store_items.save(tx.conn, items)
    emit_items_changed(tx, job_id, [item.id for item in items])


def save_results(tx: Tx, job_id: int, items: Sequence[ItemRecord]) -> None:
    """Save what executing the items changed, and notify browsers."""
    store_items.save_results(tx.conn, items)
    emit_items_changed(tx, job_id, [item.id for item in items])


def emit_items_changed(tx: Tx, job_id: int, ids: list[int]) -> None:
    for some in in_batches(ids):
        tx.emit(ItemsChanged(job_id, some))


def emit_inbox_added(tx: Tx, ids: list[int]) -> None:
    for some in in_batches(ids):
        tx.emit(InboxAdded(some))
