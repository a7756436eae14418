"""What comes of a job when it was looked through, executed, cancelled or has failed."""

from collections.abc import Callable, Sequence

from quartet.kernel.clock import now_ms
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import Problem
from quartet.media.jobs import item_store, store
from quartet.media.jobs.board import Board, emit_inbox, emit_items, emit_status
from quartet.media.jobs.rows import ItemRow, JobRow, News
from quartet.media.jobs.types import JobStatus
from quartet.media.moves.types import Operation

Listener = Callable[[News], None]

_TOLD_FILES = 100
# Not at work, and not undone yet.
_RESTING: tuple[JobStatus, ...] = ("done", "failed", "cancelled", "ready")


class Ending:
    def __init__(self, db: Database, board: Board) -> None:
        self._db = db
        self._board = board
        # Called on the event loop, after the commit; must not block.
        self.listeners: list[Listener] = []

    async def analysed(self, job: JobRow) -> None:
        """A job of a person waits for that person; another one goes on with what is sure."""
        self._board.forget(job.id)

        def work(tx: Tx) -> list[int]:
            if job.is_automatic and item_store.choose(tx.conn, job.id, None):
                _turn(tx, job, "queued")
            else:
                _rest(tx, job)
            store.change(tx.conn, job.id, begin="render")
            waiting = item_store.ids_in(tx.conn, job.id, "needs_review")
            if not job.is_automatic:
                return []
            emit_inbox(tx, waiting)
            return waiting

        waiting = await self._db.write(work)
        if waiting:
            self._tell(News("inbox", job, waiting=len(waiting)))

    async def executed(self, job: JobRow, items: Sequence[ItemRow], *, stopped: bool) -> None:
        done = [item for item in items if item.state == "done"]
        failed = [item for item in items if item.state == "failed"]
        # Changed since it was looked at.
        waiting = [one.id for one in items if job.is_automatic and one.state == "needs_review"]
        self._board.forget(job.id)

        def work(tx: Tx) -> None:
            if stopped:
                item_store.unchoose(tx.conn, job.id)
                _turn(tx, job, "cancelled")
            elif item_store.chosen_count(tx.conn, job.id):
                # Approved while we were at work.
                _turn(tx, job, "queued")
            elif failed and not done:
                _turn(tx, job, "failed", failed[0].error)
            else:
                _rest(tx, job)
            emit_inbox(tx, waiting)

        await self._db.write(work)
        if waiting:
            self._tell(News("inbox", job, waiting=len(waiting)))
        if done or failed:
            pairs = tuple((item.source, item.target or "") for item in done[:_TOLD_FILES])
            news = News("done" if done else "failed", job, len(done), len(failed), files=pairs)
            self._tell(news)

    async def rest(self, job: JobRow) -> None:
        await self._db.write(_rest, job)

    async def cancelled(self, job: JobRow) -> None:
        self._board.forget(job.id)
        await self._db.write(_turn, job, "cancelled")

    async def failed(self, job: JobRow, problem: Problem) -> None:
        self._board.forget(job.id)

        def work(tx: Tx) -> None:
            item_store.unchoose(tx.conn, job.id)
            _turn(tx, job, "failed", problem)

        await self._db.write(work)
        self._tell(News("failed", job))

    def undone(self, tx: Tx, operations: Sequence[Operation]) -> None:
        """In the transaction of an undo."""
        undone_items(tx, sorted({one.item_id for one in operations if one.item_id is not None}))

    def _tell(self, news: News) -> None:
        for listener in self.listeners:
            listener(news)


def undone_items(tx: Tx, ids: Sequence[int]) -> None:
    """An item is undone when nothing of it is left."""
    left = item_store.unfinished_operations(tx.conn, ids)
    gone = [row for row in item_store.by_ids(tx.conn, ids) if row.id not in left]
    item_store.mark(tx.conn, [row.id for row in gone], "undone")
    for job_id in sorted({row.job_id for row in gone}):
        mine = [row.id for row in gone if row.job_id == job_id]
        _undone_job(tx, job_id, mine)


def _undone_job(tx: Tx, job_id: int, ids: list[int]) -> None:
    emit_items(tx, job_id, ids)
    job = store.find(tx.conn, job_id)
    if job and job.status in _RESTING and not item_store.count(tx.conn, job_id, ["done"]):
        _turn(tx, job, "undone")


def _rest(tx: Tx, job: JobRow) -> None:
    """Ready as long as somebody has something to decide; an empty job of a machine is done."""
    if item_store.count(tx.conn, job.id, ["ready", "needs_review"]):
        _turn(tx, job, "ready")
    elif item_store.count(tx.conn, job.id, ["done", "skipped", "failed", "undone"]):
        _turn(tx, job, "done")
    else:
        _turn(tx, job, "done", Problem("no_files"))


def _turn(tx: Tx, job: JobRow, status: JobStatus, error: Problem | None = None) -> None:
    job.status, job.error = status, error
    job.finished_at = None if status in ("ready", "queued") else now_ms()
    if status in ("ready", "done"):
        job.done = job.total
    store.change(
        tx.conn,
        job.id,
        status=status,
        error=error,
        done=job.done,
        total=job.total,
        finished_at=job.finished_at,
    )
    emit_status(tx, job)
