"""How far running jobs are: in memory, and told at a steady rate."""

import asyncio
from collections.abc import Sequence

from quartet.kernel.batches import in_batches
from quartet.kernel.db import Tx
from quartet.kernel.events import Coalescer, EventHub
from quartet.media.jobs import item_store
from quartet.media.jobs.rows import ItemRow, JobRow
from quartet.media.jobs.types import InboxAdded, ItemsChanged, JobChanged

_SECONDS = 0.25


class Board:
    def __init__(self, hub: EventHub) -> None:
        self._coalescer = Coalescer(hub, _SECONDS)
        self._live: dict[int, tuple[int, int]] = {}

    def tell(self, job: JobRow, done: int, total: int) -> None:
        """On the event loop."""
        self._live[job.id] = done, total
        self._coalescer.put(job.id, JobChanged(job.id, job.status, done, total))

    def teller(self, job: JobRow) -> "ThreadTeller":
        return ThreadTeller(self, job)

    def forget(self, job_id: int) -> None:
        """A new status is on its way; old progress must not follow it."""
        self._live.pop(job_id, None)
        self._coalescer.forget(job_id)

    def overlay(self, job: JobRow) -> JobRow:
        """The job as it is at this moment."""
        job.done, job.total = self._live.get(job.id, (job.done, job.total))
        return job


class ThreadTeller:
    """For worker threads, which have more to tell than anybody wants to hear."""

    def __init__(self, board: Board, job: JobRow) -> None:
        self._board = board
        self._job = job
        self._loop = asyncio.get_running_loop()
        self._next = 0.0

    def __call__(self, done: int, total: int) -> None:
        now = self._loop.time()
        if now >= self._next:
            self._next = now + _SECONDS
            self._loop.call_soon_threadsafe(self._board.tell, self._job, done, total)


def emit_status(tx: Tx, job: JobRow) -> None:
    tx.emit(JobChanged(job.id, job.status, job.done, job.total))


def save_items(tx: Tx, job_id: int, items: Sequence[ItemRow]) -> None:
    """Keeps items as they are now, and tells who looks at the job."""
    item_store.save(tx.conn, items)
    emit_items(tx, job_id, [item.id for item in items])


def emit_items(tx: Tx, job_id: int, ids: list[int]) -> None:
    for some in in_batches(ids):
        tx.emit(ItemsChanged(job_id, some))


def emit_inbox(tx: Tx, ids: list[int]) -> None:
    for some in in_batches(ids):
        tx.emit(InboxAdded(some))
