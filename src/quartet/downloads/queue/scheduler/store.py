"""SQL for the scheduler: what is running, and which downloads start next."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    bindparam,
    exists,
    false,
    func,
    or_,
    select,
    true,
)
from sqlalchemy.sql.dml import ReturningUpdate

from quartet.downloads.options.store import options
from quartet.downloads.packages.states import ACTIVE
from quartet.downloads.packages.store import transition
from quartet.downloads.packages.tables import downloads, packages
from quartet.downloads.queue.finish.store import with_checksum_lists
from quartet.downloads.queue.store_stop import IS_STOPPING, is_stopping
from quartet.downloads.queue.types import (
    ActiveDownload,
    ClaimedDownload,
    QueueSnapshot,
    SpeedLimits,
)
from quartet.downloads.request_headers import sent_headers

# Written in this form, because an index is only used for an identical expression.
STARTED_NOW = downloads.c.started_now == true()
BEFORE_STOP = downloads.c.before_stop == true()

_CLAIMED = [
    *(downloads.c[field] for field in ClaimedDownload._fields[:-4]),
    downloads.c.speed_limit_kib.label("limit"),
    packages.c.speed_limit_kib.label("package_limit"),
    downloads.c.request_headers,
    packages.c.source_page,
    packages.c.target_dir,
]


def snapshot(conn: Connection, ids: Collection[int], now: int) -> QueueSnapshot:
    """Read the state the scheduler needs; `ids` are the downloads this process runs."""
    return QueueSnapshot(
        options=options(conn),
        running=running(conn),
        due=any_due(conn, now),
        started_now_due=any_due(conn, now, STARTED_NOW),
        stopping=is_stopping(conn),
        retry_at=next_retry(conn),
        limits=limits(conn, ids) if ids else [],
    )


def any_due(conn: Connection, now: int, *which: ColumnElement[bool]) -> bool:
    due = or_(downloads.c.retry_at.is_(None), downloads.c.retry_at <= now)
    query = select(downloads.c.id).where(downloads.c.status == "queued", due, *which)
    return conn.execute(query.limit(1)).first() is not None


def next_retry(conn: Connection) -> int | None:
    """Return the earliest retry time; only queued downloads have one."""
    waiting = downloads.c.retry_at.is_not(None)
    query = select(downloads.c.retry_at).where(waiting).order_by(downloads.c.retry_at)
    return conn.execute(query.limit(1)).scalar_one_or_none()


def running(conn: Connection) -> dict[int, ActiveDownload]:
    """Return the downloads that are active according to the database."""
    columns = [downloads.c[field] for field in ActiveDownload._fields]
    query = select(*columns).where(downloads.c.status.in_(ACTIVE))
    return {row.id: ActiveDownload(*row) for row in conn.execute(query)}


def limits(conn: Connection, ids: Collection[int]) -> list[SpeedLimits]:
    query = (
        select(
            downloads.c.id,
            downloads.c.package_id,
            downloads.c.speed_limit_kib,
            packages.c.speed_limit_kib,
        )
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(downloads.c.id.in_(ids))
    )
    return [SpeedLimits(*row) for row in conn.execute(query)]


def upcoming(
    conn: Connection,
    limit: int,
    full: Collection[str],
    without: Collection[int],
    now: int,
    *which: ColumnElement[bool],
) -> list[ClaimedDownload]:
    """Return the next downloads by priority and position, without those of full hosts."""
    found: list[ClaimedDownload] = []
    priority = _highest(conn, None)
    while priority is not None and len(found) < limit:
        fits = and_(_startable(priority, now, full, without), *which)
        found += _in_queue_order(conn, fits, limit - len(found))
        if len(found) < limit:
            priority = _highest(conn, priority)
    return found


def claim(conn: Connection, items: Collection[ClaimedDownload]) -> list[ClaimedDownload]:
    """Mark downloads as active; return those that were not paused or deleted since."""
    plain = {each.id for each in items if each.is_plain}
    resolved = {item.id for item in items} - plain
    claimed = {*_claim(conn, _CLAIM, resolved), *_claim(conn, _CLAIM_PLAIN, plain)}
    return [item for item in items if item.id in claimed]


_THESE = downloads.c.id.in_(bindparam("ids", expanding=True))
# While the queue stops, what has started must also end.
_STARTED: dict[str, Any] = {"retry_at": None, "error": None, "before_stop": IS_STOPPING}
_CLAIM = transition("claim", _THESE, **_STARTED)
_CLAIM_PLAIN = transition("claim_plain", _THESE, **_STARTED)


def _claim(
    conn: Connection, statement: ReturningUpdate[int, int], ids: Collection[int]
) -> Collection[int]:
    return {row.id for row in conn.execute(statement, {"ids": list(ids)})} if ids else ()


def _highest(conn: Connection, below: int | None) -> int | None:
    """Return the highest priority in the queue, or the highest one below `below`."""
    query = select(func.max(downloads.c.priority)).where(downloads.c.status == "queued")
    if below is not None:
        query = query.where(downloads.c.priority < below)
    found: int | None = conn.execute(query).scalar_one()
    return found


def _startable(
    priority: int, now: int, full: Collection[str], without: Collection[int]
) -> ColumnElement[bool]:
    return and_(
        downloads.c.status == "queued",
        downloads.c.priority == priority,
        or_(downloads.c.retry_at.is_(None), downloads.c.retry_at <= now),
        downloads.c.host.not_in(full),
        downloads.c.id.not_in(without),
    )


def _in_queue_order(
    conn: Connection, fits: ColumnElement[bool], limit: int
) -> list[ClaimedDownload]:
    """Return downloads in queue order: by package, then by position in the package."""
    of_package = downloads.c.package_id == packages.c.id
    some = (
        select(packages.c.id)
        .where(packages.c.collector == false(), exists().where(of_package, fits))
        .order_by(packages.c.position)
        .limit(limit)
    )
    found: list[ClaimedDownload] = []
    for package_id in conn.execute(some).scalars():
        query = (
            select(*_CLAIMED)
            .join(packages, packages.c.id == downloads.c.package_id)
            .where(downloads.c.package_id == package_id, fits)
            .order_by(downloads.c.position)
            .limit(limit - len(found))
        )
        folder_known = not with_checksum_lists(conn, [package_id])
        found += [
            ClaimedDownload._make(
                (
                    *row[:-3],
                    sent_headers(row.request_headers, row.source_page),
                    row.target_dir if folder_known else None,
                )
            )
            for row in conn.execute(query)
        ]
        if len(found) == limit:
            break
    return found
