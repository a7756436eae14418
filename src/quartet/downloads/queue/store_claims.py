"""Which downloads begin next; beside `store`, whose rules it shares."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, exists, false, func, or_, select

from quartet.downloads.packages.states import Act
from quartet.downloads.packages.store import take
from quartet.downloads.packages.tables import downloads, packages
from quartet.downloads.queue.types import Claimed, Slots

_CLAIMED = [
    *(downloads.c[field] for field in Claimed._fields[:-2]),
    downloads.c.speed_limit_kib.label("limit"),
    packages.c.speed_limit_kib.label("package_limit"),
]


def claim(conn: Connection, slots: Slots, now: int) -> list[Claimed]:
    """The next downloads by priority and place in the list, within the slots."""
    chosen = _choose(conn, slots, now)
    of_hosters = {item.id for item in chosen if item.plugin_id is not None}
    plain = {item.id for item in chosen} - of_hosters
    taken = _take(conn, "claim", of_hosters) | _take(conn, "claim_plain", plain)
    return [item for item in chosen if item.id in taken]


def _take(conn: Connection, act: Act, ids: Collection[int]) -> set[int]:
    afresh: dict[str, Any] = {"retry_at": None, "error": None}
    return set(take(conn, act, downloads.c.id.in_(ids), **afresh)) if ids else set()


def _choose(conn: Connection, slots: Slots, now: int) -> list[Claimed]:
    chosen: list[Claimed] = []
    busy = Counter(slots.busy)
    priority = _highest(conn, None)
    while priority is not None and len(chosen) < slots.free:
        while len(chosen) < slots.free:
            full = _full(busy, slots.per_host)
            fits = _fits(priority, now, full, [*(item.id for item in chosen), *slots.leaving])
            rows = _first(conn, fits, slots.free - len(chosen))
            chosen += _within_hosts(rows, busy, slots.per_host)
            if _full(busy, slots.per_host) == full:
                break  # nothing was passed over for its host, so there are no more
        if len(chosen) < slots.free:
            priority = _highest(conn, priority)
    return chosen


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


def _full(busy: Mapping[str, int], per_host: int) -> list[str]:
    return [host for host, running in busy.items() if per_host and running >= per_host]


def _within_hosts(items: Iterable[Claimed], busy: Counter[str], per_host: int) -> list[Claimed]:
    chosen: list[Claimed] = []
    for item in items:
        if not per_host or busy[item.host] < per_host:
            busy[item.host] += 1
            chosen.append(item)
    return chosen
