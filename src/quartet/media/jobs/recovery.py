"""After a restart: jobs that were at work go on, or say honestly how far they came."""

import logging

from quartet.kernel.db import Tx
from quartet.kernel.errors import Problem
from quartet.media.jobs import item_store, store
from quartet.media.jobs.ending import undone_items
from quartet.media.jobs.rows import JobRow
from quartet.media.moves import store as moves_store

log = logging.getLogger("quartet.media.jobs")


def recover(tx: Tx) -> None:
    """The journal has been brought together with the disk already."""
    for job in store.with_status(tx.conn, ["scanning", "matching"]):
        # Looking twice does no harm.
        store.change(tx.conn, job.id, status="pending")
    for job in store.with_status(tx.conn, ["executing"]):
        _take_from_journal(tx, job)
        if job.is_automatic:
            store.change(tx.conn, job.id, status="queued")
        else:
            item_store.unchoose(tx.conn, job.id)
            store.change(tx.conn, job.id, status="ready", error=Problem("job_interrupted"))
        log.warning("job %d was interrupted", job.id)
    # Those of an undo that was interrupted.
    undone_items(tx, item_store.undone_unheard(tx.conn))


def _take_from_journal(tx: Tx, job: JobRow) -> None:
    """What the process before did not live to write down."""
    done = {
        row.item_id: row.target
        for row in moves_store.of_job(tx.conn, job.id)
        if row.state == "done" and row.role == "main"
    }
    items = [item for item in item_store.chosen(tx.conn, job.id) if item.id in done]
    for item in items:
        item.state, item.chosen, item.target = "done", False, done[item.id]
    item_store.save(tx.conn, items)
