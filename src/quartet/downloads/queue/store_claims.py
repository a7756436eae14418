"""Which downloads begin next; beside `store`, whose rules it shares."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, exists, false, func, or_, select

from quartet.downloads.packages.states import Act
from quartet.downloads.packages.store import take
from quartet.downloads.packages.tables import downloads, packages
from quartet.downloads.queue.types import Claimed

_CLAIMED = [
    *(downloads.c[field] for field in Claimed._fields[:-2]),
    downloads.c.speed_limit_kib.label("limit"),
    packages.c.speed_limit_kib.label("package_limit"),
]


def upcoming(
    conn: Connection, limit: int, full: Collection[str], without: Collection[int], now: int
) -> list[Claimed]:
    """What is next by priority and place in the list, but nothing from hosts that are full."""
    found: list[Claimed] = []
    priority = _highest(conn, None)
    while priority is not None and len(found) < limit:
        found += _first(conn, _fits(priority, now, full, without), limit - len(found))
        if len(found) < limit:
            priority = _highest(conn, priority)
    return found


def claim(conn: Connection, items: Collection[Claimed]) -> list[Claimed]:
    """Those of them that were neither paused nor deleted in the meantime."""
    of_hosters = {item.id for item in items if item.plugin_id is not None}
    plain = {item.id for item in items} - of_hosters
    taken = {*_take(conn, "claim", of_hosters), *_take(conn, "claim_plain", plain)}
    return [item for item in items if item.id in taken]


def _take(conn: Connection, act: Act, ids: Collection[int]) -> Collection[int]:
    afresh: dict[str, Any] = {"retry_at": None, "error": None}
    return take(conn, act, downloads.c.id.in_(ids), **afresh) if ids else ()


def _highest(conn: Connection, below: int | None) -> int | None:
    """The highest priority there is in the queue, or the next one below another."""
    query = select(func.max(downloads.c.priority)).where(downloads.c.status == "queued")
    if below is not None:
        query = query.where(downloads.c.priority < below)
    found: int | None = conn.execute(query).scalar_one()
    return found


def _fits(
    priority: int, now: int, full: Collection[str], without: Collection[int]
) -> ColumnElement[bool]:
    return and_(
        downloads.c.status == "queued",
        downloads.c.priority == priority,
        or_(downloads.c.retry_at.is_(None), downloads.c.retry_at <= now),
        downloads.c.host.not_in(full),
        downloads.c.id.not_in(without),
    )


def _first(conn: Connection, fits: ColumnElement[bool], limit: int) -> list[Claimed]:
    """In the order of the list: first the packages, then what is in them, each by its index."""
    of_package = downloads.c.package_id == packages.c.id
    some = (
        select(packages.c.id)
        .where(packages.c.collector == false(), exists().where(of_package, fits))
        .order_by(packages.c.position)
        .limit(limit)
    )
    found: list[Claimed] = []
    for package_id in conn.execute(some).scalars():
        query = (
            select(*_CLAIMED)
            .join(packages, packages.c.id == downloads.c.package_id)
            .where(downloads.c.package_id == package_id, fits)
            .order_by(downloads.c.position)
            .limit(limit - len(found))
        )
        found += [Claimed(*row) for row in conn.execute(query)]
        if len(found) == limit:
            break
    return found
