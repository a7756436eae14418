"""Restores jobs that were running when the process ended."""

import logging
from collections.abc import Sequence
from functools import partial

from quartet.kernel.clock import now_ms
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.media.jobs import store, store_item_counts, store_items
from quartet.media.jobs.execute.completion import mark_items_undone
from quartet.media.jobs.execute.executor import step_for
from quartet.media.jobs.records import JobRecord
from quartet.media.moves import store as moves_store
from quartet.media.moves.engine import MoveEngine
from quartet.media.moves.types import Operation, Plan
from quartet.media.roots import store as roots_store
from quartet.media.roots.folder_access import FolderAccess

log = logging.getLogger("quartet.media.jobs")

# Why an item's companion files were not moved.
Problems = dict[int | None, Problem]


def recover(db: Database) -> None:
    """Runs after the journal has been reconciled with the disk. Blocks."""
    # First, so that a crash during recovery still finds the jobs in state "executing".
    problems = _move_left_companions(db)
    db.write_sync(partial(_recover, problems))


def _recover(problems: Problems, tx: Tx) -> None:
    for job in store.with_status(tx.conn, ["scanning", "matching"]):
        # Building the preview again is harmless.
        store.change(tx.conn, job.id, status="pending")
    stopped: list[int] = []
    for job in store.with_status(tx.conn, ["executing"]):
        _apply_journal(tx, job, problems)
        if job.is_automatic:
            store.change(tx.conn, job.id, status="queued")
        else:
            store_items.clear_chosen(tx.conn, job.id)
            stopped.append(job.id)
        log.warning("job %d was interrupted by a restart", job.id)
    store_item_counts.recount(tx.conn)
    for id in stopped:
        if store_item_counts.of_job(tx.conn, id, ["ready", "needs_review"]):
            store.change(tx.conn, id, status="ready", error=Problem("job_interrupted"))
        else:
            # Only the result of the last files was not saved.
            store.change(tx.conn, id, status="done", finished_at=now_ms())
    # Items of an interrupted undo.
    mark_items_undone(tx, store_items.done_with_undone_operations(tx.conn))


def _apply_journal(tx: Tx, job: JobRecord, problems: Problems) -> None:
    """Apply results that the previous process did not save."""
    moved_to = _moved_to(moves_store.of_job(tx.conn, job.id))
    items = [item for item in store_items.chosen(tx.conn, job.id) if item.id in moved_to]
    for item in items:
        item.state, item.chosen, item.target = "done", False, moved_to[item.id]
        item.error = problems.get(item.id)
    store_items.save_results(tx.conn, items)


def _move_left_companions(db: Database) -> Problems:
    """Move companion files whose video was moved before the process ended."""
    access, plans = db.write_sync(_plans_for_left_companions)
    problems: Problems = {}
    for plan in plans:
        try:
            outcomes = MoveEngine(db, access, plan).run().outcomes
        except AppError as error:
            problems.update({step.item_id: problem_of(error) for step in plan.steps})
            continue
        for one in outcomes:
            if one.role == "companion" and one.state == "failed" and one.problem:
                problems[one.item_id] = one.problem
    return problems


def _plans_for_left_companions(tx: Tx) -> tuple[FolderAccess, list[Plan]]:
    jobs = store.with_status(tx.conn, ["executing"])
    return FolderAccess(roots_store.all_folders(tx.conn)), [_plan_for_job(tx, job) for job in jobs]


def _plan_for_job(tx: Tx, job: JobRecord) -> Plan:
    rows = moves_store.of_job(tx.conn, job.id)
    moved_to = _moved_to(rows)
    done = {row.source for row in rows if row.state == "done"}
    steps = []
    for item in store_items.chosen(tx.conn, job.id):
        if item.id in moved_to:
            item.target = moved_to[item.id]
            step = step_for(item, job)
            left = tuple(one for one in step.companions if one.source not in done)
            # The video is already at its target, so its companion files may follow.
            steps.append(step._replace(source=step.target, companions=left))
    return Plan(tuple(step for step in steps if step.companions), job.id, clean_sources=False)


def _moved_to(rows: Sequence[Operation]) -> dict[int | None, str]:
    """Return the current path of each moved video by item id."""
    return {row.item_id: row.target for row in rows if row.state == "done" and row.role == "main"}
