from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, exists, false, func, insert, select, true, update

from quartet.downloads.links.types import Found, Link, Unchecked
from quartet.downloads.packages import store as packages_store
from quartet.downloads.packages.tables import downloads, packages
from quartet.kernel.batches import in_batches

# While a transfer runs, or when it is over, its server has said all there is to know.
_CHECKABLE = ("collected", "queued", "paused", "failed")


def known_urls(conn: Connection, urls: Sequence[str]) -> int:
    """How many of these links are in the list already."""
    known = 0
    for some in in_batches(urls):
        query = select(func.count(downloads.c.url.distinct())).where(downloads.c.url.in_(some))
        known += conn.execute(query).scalar_one()
    return known


def add_package(conn: Connection, values: Mapping[str, Any]) -> int:
    last = select(func.coalesce(func.max(packages.c.position), 0) + 1).scalar_subquery()
    query = insert(packages).values(**values, position=last).returning(packages.c.id)
    id: int = conn.execute(query).scalar_one()
    return id


def add_downloads(
    conn: Connection, package_id: int, links: Iterable[Link], values: Mapping[str, Any]
) -> None:
    rows = (
        {"package_id": package_id, "position": position, **_row(link, values)}
        for position, link in enumerate(links, start=1)
    )
    conn.execute(insert(downloads), list(rows))


def _row(link: Link, values: Mapping[str, Any]) -> dict[str, Any]:
    row = {**link._asdict(), **values}
    if row.pop("folder"):
        row |= {"status": "crawling", "check_wanted": False}
    return row


def want_check(conn: Connection, package_id: int) -> None:
    query = update(downloads).where(
        downloads.c.package_id == package_id, downloads.c.status.in_(_CHECKABLE)
    )
    conn.execute(query.values(check_wanted=True, online="unknown"))


def unchecked(conn: Connection, limit: int) -> list[Unchecked]:
    query = (
        select(*(downloads.c[field] for field in Unchecked._fields))
        .where(downloads.c.check_wanted == true())
        .order_by(downloads.c.id)
        .limit(limit)
    )
    return [Unchecked(*row) for row in conn.execute(query)]


def crawl(conn: Connection, id: int) -> None:
    """Looks into a folder again."""
    conn.execute(update(downloads).where(downloads.c.id == id).values(check_wanted=False))
    packages_store.take(conn, "crawl", downloads.c.id == id, error=None)


def checked(conn: Connection, id: int, found: Found) -> bool:
    """True when the queue must know: it waits there, or for this in a started package."""
    told = {name: getattr(found, name) for name in ("name", "size", "hash_type", "hash_value")}
    values = {name: value for name, value in told.items() if value is not None}
    query = update(downloads).where(downloads.c.id == id, downloads.c.status.in_(_CHECKABLE))
    told_to = query.values(online=found.online, **values).returning(downloads.c.status)
    queued = conn.execute(told_to).scalar_one_or_none() == "queued"
    conn.execute(update(downloads).where(downloads.c.id == id).values(check_wanted=False))
    if found.online != "online":
        return queued
    started = exists().where(
        packages.c.id == downloads.c.package_id, packages.c.collector == false()
    )
    return bool(packages_store.take(conn, "start", downloads.c.id == id, started)) or queued
