"""After a restart: jobs that were at work go on, or say honestly how far they came."""

import logging
from collections.abc import Sequence
from functools import partial

from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.media.jobs import item_store, store
from quartet.media.jobs.ending import undone_items
from quartet.media.jobs.execution import step_of
from quartet.media.jobs.rows import JobRow
from quartet.media.moves import store as moves_store
from quartet.media.moves.engine import Engine
from quartet.media.moves.types import Operation, Plan
from quartet.media.roots import store as roots_store
from quartet.media.roots.places import Places

log = logging.getLogger("quartet.media.jobs")

# Why something that belongs to an item did not follow it.
Problems = dict[int | None, Problem]


def recover(db: Database) -> None:
    """The journal has been brought together with the disk already. Blocks."""
    # First, so that a second end in the middle finds the jobs as they are now.
    problems = _let_follow(db)
    db.write_sync(partial(_recover, problems))


def _recover(problems: Problems, tx: Tx) -> None:
    for job in store.with_status(tx.conn, ["scanning", "matching"]):
        # Looking twice does no harm.
        store.change(tx.conn, job.id, status="pending")
    for job in store.with_status(tx.conn, ["executing"]):
        _take_from_journal(tx, job, problems)
        if job.is_automatic:
            store.change(tx.conn, job.id, status="queued")
        else:
            item_store.unchoose(tx.conn, job.id)
            store.change(tx.conn, job.id, status="ready", error=Problem("job_interrupted"))
        log.warning("job %d was interrupted", job.id)
    # Those of an undo that was interrupted.
    undone_items(tx, item_store.undone_unheard(tx.conn))


def _take_from_journal(tx: Tx, job: JobRow, problems: Problems) -> None:
    """What the process before did not live to write down."""
    went = _went(moves_store.of_job(tx.conn, job.id))
    items = [item for item in item_store.chosen(tx.conn, job.id) if item.id in went]
    for item in items:
        item.state, item.chosen, item.target = "done", False, went[item.id]
        item.error = problems.get(item.id)
    item_store.save(tx.conn, items)


def _let_follow(db: Database) -> Problems:
    """A video went and the end came before its subtitles: they would never be looked for."""
    places, plans = db.write_sync(_left_behind)
    problems: Problems = {}
    for plan in plans:
        try:
            outcomes = Engine(db, places, plan).run().outcomes
        except AppError as error:
            problems.update({step.item_id: problem_of(error) for step in plan.steps})
            continue
        for one in outcomes:
            if one.role == "companion" and one.state == "failed" and one.problem:
                problems[one.item_id] = one.problem
    return problems


def _left_behind(tx: Tx) -> tuple[Places, list[Plan]]:
    jobs = store.with_status(tx.conn, ["executing"])
    return Places(roots_store.all_folders(tx.conn)), [_left_of(tx, job) for job in jobs]


def _left_of(tx: Tx, job: JobRow) -> Plan:
    rows = moves_store.of_job(tx.conn, job.id)
    went = _went(rows)
    done = {row.source for row in rows if row.state == "done"}
    steps = []
    for item in item_store.chosen(tx.conn, job.id):
        if item.id in went:
            item.target = went[item.id]
            step = step_of(item, job)
            left = tuple(one for one in step.companions if one.source not in done)
            # The video is where it should be, and lets them follow.
            steps.append(step._replace(source=step.target, companions=left))
    return Plan(tuple(step for step in steps if step.companions), job.id, clean_sources=False)


def _went(rows: Sequence[Operation]) -> dict[int | None, str]:
    """Where videos lie, by item."""
    return {row.item_id: row.target for row in rows if row.state == "done" and row.role == "main"}
