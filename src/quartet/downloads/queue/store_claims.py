"""Which downloads begin next; beside `store`, whose rules it shares."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, exists, false, or_, select

from quartet.downloads.packages.store import take
from quartet.downloads.packages.tables import downloads, packages
from quartet.downloads.queue.types import Claimed, Slots

_PRIORITIES = (2, 1, 0, -1, -2)
_CLAIMED = [
    *(downloads.c[field] for field in Claimed._fields if not field.endswith("limit")),
    downloads.c.speed_limit_kib.label("limit"),
    packages.c.speed_limit_kib.label("package_limit"),
]


def claim(conn: Connection, slots: Slots, now: int) -> list[Claimed]:
    """The next downloads by priority and place in the list, within the slots."""
    chosen = _choose(conn, slots, now)
    if not chosen:
        return []
    afresh: dict[str, Any] = {"retry_at": None, "error": None}
    of_hosters, ids = downloads.c.plugin_id.is_not(None), downloads.c.id.in_(chosen)
    taken = take(conn, "claim", ids, of_hosters, **afresh)
    taken += take(conn, "claim_plain", ids, ~of_hosters, **afresh)
    query = (
        select(*_CLAIMED)
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(downloads.c.id.in_(taken))
    )
    found = {row.id: Claimed(*row) for row in conn.execute(query)}
    return [found[id] for id in chosen]


def _choose(conn: Connection, slots: Slots, now: int) -> list[int]:
    chosen: list[int] = []
    busy = Counter(slots.busy)
    for priority in _PRIORITIES:
        while len(chosen) < slots.free and _any_queued(conn, priority):
            full = _full(busy, slots.per_host)
            fits = _fits(priority, now, full, [*chosen, *slots.leaving])
            rows = _first(conn, fits, slots.free - len(chosen))
            chosen += _within_hosts(rows, busy, slots.per_host)
            if _full(busy, slots.per_host) == full:
                break  # nothing was passed over for its host, so there are no more
    return chosen


def _any_queued(conn: Connection, priority: int) -> bool:
    query = select(downloads.c.id).where(
        downloads.c.status == "queued", downloads.c.priority == priority
    )
    return conn.execute(query.limit(1)).first() is not None


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


def _first(conn: Connection, fits: ColumnElement[bool], limit: int) -> list[Row[Any]]:
    """In the order of the list: first the packages, then what is in them, each by its index."""
    of_package = downloads.c.package_id == packages.c.id
    some = (
        select(packages.c.id)
        .where(packages.c.collector == false(), exists().where(of_package, fits))
        .order_by(packages.c.position)
        .limit(limit)
    )
    found: list[Any] = []
    for package_id in conn.execute(some).scalars():
        query = (
            select(downloads.c.id, downloads.c.host)
            .where(downloads.c.package_id == package_id, fits)
            .order_by(downloads.c.position)
            .limit(limit - len(found))
        )
        found += conn.execute(query).all()
        if len(found) == limit:
            break
    return found


def _full(busy: Mapping[str, int], per_host: int) -> list[str]:
    return [host for host, running in busy.items() if per_host and running >= per_host]


def _within_hosts(rows: Iterable[Row[Any]], busy: Counter[str], per_host: int) -> list[int]:
    chosen: list[int] = []
    for row in rows:
        if not per_host or busy[row.host] < per_host:
            busy[row.host] += 1
            chosen.append(row.id)
    return chosen
