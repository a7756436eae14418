from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, delete, func, insert, or_, select, update

from quartet.media.jobs import store_item_counts
from quartet.media.jobs.records import JobRecord, decode_columns, encode_columns
from quartet.media.jobs.tables import items, jobs
from quartet.media.jobs.types import JobKind, JobStatus


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
    store_item_counts.remove(conn, id)
    conn.execute(delete(jobs).where(jobs.c.id == id))


def status_counts(conn: Connection) -> dict[JobStatus, int]:
    query = select(jobs.c.status, func.count()).group_by(jobs.c.status)
    return {status: count for status, count in conn.execute(query)}


def _job(row: Row[Any]) -> JobRecord:
    return JobRecord(**decode_columns(dict(row._mapping)))
