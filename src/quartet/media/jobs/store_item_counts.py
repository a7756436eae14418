"""SQL statements for the number of items per job and state.

They are stored, because counting the items of large jobs for each list of jobs takes long. Every
change of items updates them in its transaction.
"""

import logging
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, delete, func, insert, select

from quartet.kernel.batches import in_batches
from quartet.kernel.db.upsert import insert_into
from quartet.media.jobs.tables import item_counts, items, jobs
from quartet.media.jobs.types import ITEM_STATES, ItemState

log = logging.getLogger("quartet.media.jobs")


class CountKey(NamedTuple):
    job_id: int
    state: ItemState


def change(
    conn: Connection, *, added: Sequence[CountKey] = (), removed: Sequence[CountKey] = ()
) -> None:
    differences = Counter(added)
    differences.subtract(Counter(removed))
    # Sorted, so that two transactions lock the rows in the same order.
    rows = [
        {"job_id": key.job_id, "state": key.state, "number": number}
        for key, number in sorted(differences.items())
        if number
    ]
    if rows:
        query = insert_into(conn, item_counts)
        total = {"number": item_counts.c.number + query.excluded.number}
        query = query.on_conflict_do_update(index_elements=["job_id", "state"], set_=total)
        conn.execute(query, rows)


def of_items(conn: Connection, ids: Sequence[int]) -> dict[int, CountKey]:
    """Return where each item is counted, and lock the items against changes by others."""
    columns = items.c.id, items.c.job_id, items.c.state
    return {
        id: CountKey(job_id, state)
        for some in in_batches(ids)
        for id, job_id, state in conn.execute(
            select(*columns).where(items.c.id.in_(some)).with_for_update()
        )
    }


def keep_only(conn: Connection, job_id: int, state: ItemState) -> None:
    """Forget the items of the job in all other states."""
    mine = item_counts.c.job_id == job_id
    conn.execute(delete(item_counts).where(mine, item_counts.c.state != state))


def remove(conn: Connection, job_id: int) -> None:
    conn.execute(delete(item_counts).where(item_counts.c.job_id == job_id))


def of_jobs(conn: Connection, ids: Sequence[int]) -> dict[int, dict[ItemState, int]]:
    found: dict[int, dict[ItemState, int]] = {id: dict.fromkeys(ITEM_STATES, 0) for id in ids}
    columns = item_counts.c.job_id, item_counts.c.state, item_counts.c.number
    for job_id, state, number in conn.execute(
        select(*columns).where(item_counts.c.job_id.in_(ids))
    ):
        found[job_id][state] = number
    return found


def of_job(conn: Connection, job_id: int, states: Sequence[ItemState]) -> int:
    """Return how many items of the job are in one of these states."""
    return sum(of_jobs(conn, [job_id])[job_id][state] for state in states)


def by_state(conn: Connection) -> dict[ItemState, int]:
    query = select(item_counts.c.state, func.sum(item_counts.c.number))
    query = query.where(item_counts.c.number > 0).group_by(item_counts.c.state)
    return {state: int(number) for state, number in conn.execute(query)}


def in_inbox(conn: Connection) -> int:
    """Return how many items of automatic jobs need a person."""
    query = select(func.coalesce(func.sum(item_counts.c.number), 0))
    query = query.join(jobs, jobs.c.id == item_counts.c.job_id)
    waiting = item_counts.c.state == "needs_review", item_counts.c.number > 0
    return int(conn.execute(query.where(*waiting, jobs.c.kind != "manual")).scalar_one())


def recount(conn: Connection) -> None:
    """Correct the numbers: while processes are updated, the previous version changes items without
    counting them.
    """
    columns = items.c.job_id, items.c.state
    real = {
        CountKey(job_id, state): number
        for job_id, state, number in conn.execute(select(*columns, func.count()).group_by(*columns))
    }
    stored = {
        CountKey(row.job_id, row.state): row.number
        for row in conn.execute(select(item_counts).where(item_counts.c.number != 0))
    }
    if real == stored:
        return
    log.info("counted the items of all jobs again")
    conn.execute(delete(item_counts))
    if real:
        rows = [{**key._asdict(), "number": number} for key, number in real.items()]
        conn.execute(insert(item_counts), rows)
