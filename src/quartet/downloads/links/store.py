from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, case, exists, false, func, insert, or_, select, true, update

from quartet.downloads.bittorrent.magnets import HOST_PREFIX
from quartet.downloads.links.types import LinkInfo, ParsedLink, UncheckedLink
from quartet.downloads.packages import store as packages_store
from quartet.downloads.packages.tables import downloads, packages
from quartet.downloads.packages.types import CONTAINER
from quartet.downloads.request_headers import sent_headers
from quartet.kernel.batches import in_batches

# In all other states the server has already given all details.
_CHECKABLE = ("collected", "queued", "paused", "failed")


def known_urls(conn: Connection, urls: Sequence[str]) -> int:
    """Return how many of these links already exist."""
    known = 0
    for some in in_batches(urls):
        query = select(func.count(downloads.c.url.distinct())).where(downloads.c.url.in_(some))
        known += conn.execute(query).scalar_one()
    return known


def known_torrents(conn: Connection, host: str) -> int:
    """Return 1 if this torrent already exists, with any trackers, or 0."""
    query = select(exists().where(downloads.c.host == host))
    return int(conn.execute(query).scalar_one())


class Origin(NamedTuple):
    """The package of a link that leads to other links."""

    name: str
    auto_named: bool
    target_dir: str
    collector: bool


def origin(conn: Connection, package_id: int) -> Origin | None:
    query = select(*(packages.c[field] for field in Origin._fields))
    row = conn.execute(query.where(packages.c.id == package_id)).one_or_none()
    return None if row is None else Origin._make(row)


def is_collected(conn: Connection, package_id: int) -> bool:
    """Return whether the package is in the link grabber."""
    query = select(packages.c.collector).where(packages.c.id == package_id)
    return conn.execute(query).scalar_one_or_none() is not False


def add_package(conn: Connection, values: Mapping[str, Any]) -> int:
    last = select(func.coalesce(func.max(packages.c.position), 0) + 1).scalar_subquery()
    query = insert(packages).values(**values, position=last).returning(packages.c.id)
    id: int = conn.execute(query).scalar_one()
    return id


def add_downloads(
    conn: Connection, package_id: int, links: Iterable[ParsedLink], values: Mapping[str, Any]
) -> None:
    rows = (
        {"package_id": package_id, "position": position, **_row(link, values)}
        for position, link in enumerate(links, start=1)
    )
    conn.execute(insert(downloads), list(rows))


def add_rows(conn: Connection, package_id: int, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add downloads with all their columns except package and position."""
    numbered = [
        {"package_id": package_id, "position": position, **row}
        for position, row in enumerate(rows, start=1)
    ]
    for some in in_batches(numbered):
        conn.execute(insert(downloads), some)


def _row(link: ParsedLink, values: Mapping[str, Any]) -> dict[str, Any]:
    row = {**link._asdict(), **values}
    if row.pop("folder"):
        row |= {"status": "crawling", "check_wanted": False}
    return row


def request_check(conn: Connection, package_id: int) -> None:
    query = update(downloads).where(
        downloads.c.package_id == package_id,
        downloads.c.status.in_(_CHECKABLE),
        # The files of a torrent are known.
        downloads.c.torrent_file.is_(None),
    )
    conn.execute(query.values(check_wanted=True, online="unknown"))


def unchecked(conn: Connection, limit: int) -> list[UncheckedLink]:
    query = (
        select(*(downloads.c[field] for field in UncheckedLink._fields), packages.c.source_page)
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(
            downloads.c.check_wanted == true(),
            # The metadata of a magnet link in the link grabber is fetched instead.
            or_(downloads.c.host.not_like(f"{HOST_PREFIX}%"), packages.c.collector == false()),
        )
        .order_by(downloads.c.id)
        .limit(limit)
    )
    return [
        UncheckedLink._make((*row[:-2], sent_headers(row.request_headers, row.source_page)))
        for row in conn.execute(query)
    ]


def crawl(conn: Connection, id: int, *, container: bool) -> None:
    """Crawl a folder link again, or open the container file behind a link."""
    values = {"crawl_depth": CONTAINER} if container else {}
    conn.execute(update(downloads).where(downloads.c.id == id).values(check_wanted=False))
    packages_store.apply_transition(conn, "crawl", downloads.c.id == id, error=None, **values)


def store_check(conn: Connection, id: int, found: LinkInfo) -> bool:
    """Store the result of a check; return whether the scheduler must be woken."""
    details = {name: getattr(found, name) for name in ("name", "size", "hash_type", "hash_value")}
    values: dict[str, Any] = {name: value for name, value in details.items() if value is not None}
    if "name" in values:
        # A name that the user or a container chose stays.
        values["name"] = case(
            (downloads.c.name_fixed == true(), downloads.c.name), else_=values["name"]
        )
    query = update(downloads).where(downloads.c.id == id, downloads.c.status.in_(_CHECKABLE))
    changed = query.values(online=found.online, **values).returning(downloads.c.status)
    status = conn.execute(changed).scalar_one_or_none()
    queued = status == "queued"
    if status == "collected":
        # Otherwise the error is that of the last attempt.
        conn.execute(update(downloads).where(downloads.c.id == id).values(error=found.error))
    conn.execute(update(downloads).where(downloads.c.id == id).values(check_wanted=False))
    if found.online != "online":
        return queued
    started = exists().where(
        packages.c.id == downloads.c.package_id, packages.c.collector == false()
    )
    return (
        bool(
            packages_store.apply_transition(
                conn, "start", downloads.c.id == id, started, error=None
            )
        )
        or queued
    )
