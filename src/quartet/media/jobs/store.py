from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, delete, func, insert, or_, select, update

from quartet.media.jobs.records import JobRecord, decode_columns, encode_columns
from quartet.media.jobs.tables import items, jobs
from quartet.media.jobs.types import ITEM_STATES, ItemState, JobKind, JobStatus


def add(conn: Connection, job: JobRecord) -> int:
    values = encode_columns(msgspec.structs.asdict(job))
    del values["id"]
    id: int = conn.execute(insert(jobs).values(values).returning(jobs.c.id)).scalar_one()
    return id


def find(conn: Connection, id: int) -> JobRecord | None:
    row = conn.execute(select(jobs).where(jobs.c.id == id)).first()
    return _job(row) if row else None


def page(
    conn: Connection,
    before: int | None,
    statuses: Sequence[JobStatus],
    kind: JobKind | None,
    limit: int,
) -> list[JobRecord]:
    where: list[ColumnElement[bool]] = []
    if before is not None:
        where.append(jobs.c.id < before)
    if statuses:
        where.append(jobs.c.status.in_(statuses))
    if kind:
        where.append(jobs.c.kind == kind)
    query = select(jobs).where(*where).order_by(jobs.c.id.desc()).limit(limit)
    return [_job(row) for row in conn.execute(query)]


def oldest(conn: Connection, status: JobStatus) -> JobRecord | None:
    query = select(jobs).where(jobs.c.status == status).order_by(jobs.c.id).limit(1)
    row = conn.execute(query).first()
    return _job(row) if row else None


def with_status(conn: Connection, statuses: Sequence[JobStatus]) -> list[JobRecord]:
    query = select(jobs).where(jobs.c.status.in_(statuses)).order_by(jobs.c.id)
    return [_job(row) for row in conn.execute(query)]


def due_retries(conn: Connection, now: int) -> list[JobRecord]:
    """Return jobs whose catalog is to be asked again and that are not running."""
    due = (jobs.c.retry_at <= now, jobs.c.status == "ready")
    return [_job(row) for row in conn.execute(select(jobs).where(*due).order_by(jobs.c.id))]


def retry_all(conn: Connection, now: int) -> None:
    """Make all retries due."""
    conn.execute(update(jobs).where(jobs.c.retry_at > now).values(retry_at=now))


def latest_for(
    conn: Connection, kind: JobKind, paths: list[str], asked: str | None = None
) -> JobRecord | None:
    """Return the newest job for exactly these paths and, if given, the same call."""
    same: list[ColumnElement[bool]] = [jobs.c.paths == encode_columns({"paths": paths})["paths"]]
    if asked is not None:
        # Jobs from before this column existed have no value.
        same.append(or_(jobs.c.asked == asked, jobs.c.asked.is_(None)))
    query = select(jobs).where(jobs.c.kind == kind, *same)
    row = conn.execute(query.order_by(jobs.c.id.desc()).limit(1)).first()
    return _job(row) if row else None


def change(conn: Connection, id: int, **values: Any) -> None:
    conn.execute(update(jobs).where(jobs.c.id == id).values(encode_columns(values)))


def change_status(conn: Connection, id: int, before: Sequence[JobStatus], after: JobStatus) -> bool:
    """Change the status only if it is still one of `before`."""
    query = update(jobs).where(jobs.c.id == id, jobs.c.status.in_(before)).values(status=after)
    return conn.execute(query).rowcount == 1


def remove(conn: Connection, id: int) -> None:
    conn.execute(delete(items).where(items.c.job_id == id))
    conn.execute(delete(jobs).where(jobs.c.id == id))


def counts(conn: Connection, ids: Sequence[int]) -> dict[int, dict[ItemState, int]]:
    found: dict[int, dict[ItemState, int]] = {id: dict.fromkeys(ITEM_STATES, 0) for id in ids}
    query = select(items.c.job_id, items.c.state, func.count()).where(items.c.job_id.in_(ids))
    for job_id, state, count in conn.execute(query.group_by(items.c.job_id, items.c.state)):
        found[job_id][state] = count
    return found


def status_counts(conn: Connection) -> dict[JobStatus, int]:
    query = select(jobs.c.status, func.count()).group_by(jobs.c.status)
    return {status: count for status, count in conn.execute(query)}


def state_counts(conn: Connection) -> dict[ItemState, int]:
    query = select(items.c.state, func.count()).group_by(items.c.state)
    return {state: count for state, count in conn.execute(query)}


def _job(row: Row[Any]) -> JobRecord:
    return JobRecord(**decode_columns(dict(row._mapping)))
