from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, case, delete, false, func, insert, select, true, update

from quartet.downloads.bittorrent.store import torrents as torrents_by_package
from quartet.downloads.bittorrent.tables import torrents as torrents_table
from quartet.downloads.packages.tables import downloads, packages
from quartet.downloads.qbittorrent.hashes import hash_of
from quartet.downloads.qbittorrent.tables import (
    qbittorrent_categories,
    qbittorrent_packages,
    qbittorrent_tags,
)
from quartet.downloads.qbittorrent.types import StoredExtras, TorrentPackage
from quartet.kernel.batches import in_batches

_IN_QUEUE = packages.c.collector == false()


def torrents(conn: Connection) -> list[TorrentPackage]:
    """Return all packages of the queue in their order."""
    stored, totals, real = extras(conn), _totals(conn), torrents_by_package(conn)
    query = select(packages).where(_IN_QUEUE).order_by(packages.c.position, packages.c.id)
    found: list[TorrentPackage] = []
    hashes: set[str] = set()
    for place, row in enumerate(conn.execute(query), start=1):
        own = stored.get(row.id) or StoredExtras(hash_of(row.id))
        # A torrent that was added twice has its own hash only once.
        known = real.get(row.id)
        info_hash = known.info_hash if known and known.info_hash not in hashes else own.hash
        hashes.add(info_hash)
        found.append(
            TorrentPackage(
                row.id,
                row.name,
                row.target_dir,
                row.extract,
                bool(row.moved_from),
                row.speed_limit_kib,
                row.created_at,
                info_hash,
                own.category,
                own.tags,
                **(totals.get(row.id) or _no_totals()),
                place=place,
                torrent=known,
            )
        )
    return found


def _no_totals() -> dict[str, Any]:
    sums = {"size": 0, "bytes_done": 0, "unknown_sizes": 0}
    return {"states": {}, **sums, "finished_at": None, "started_now": False}


def _totals(conn: Connection) -> dict[int, dict[str, Any]]:
    """Return the totals of the downloads of each package."""
    query = select(
        downloads.c.package_id,
        downloads.c.status,
        func.count().label("number"),
        func.coalesce(func.sum(downloads.c.size), 0).label("size"),
        func.sum(downloads.c.bytes_done).label("bytes_done"),
        func.sum(case((downloads.c.size.is_(None), 1), else_=0)).label("unknown_sizes"),
        func.max(downloads.c.finished_at).label("finished_at"),
        func.max(case((downloads.c.started_now == true(), 1), else_=0)).label("started_now"),
    ).where(downloads.c.status != "skipped")
    query = query.group_by(downloads.c.package_id, downloads.c.status)
    found: dict[int, dict[str, Any]] = defaultdict(_no_totals)
    for row in conn.execute(query):
        total = found[row.package_id]
        total["states"][row.status] = int(row.number)
        # PostgreSQL returns sums of big integers as decimals.
        for name in ("size", "bytes_done", "unknown_sizes"):
            total[name] += int(getattr(row, name))
        total["started_now"] |= bool(row.started_now)
        if row.finished_at is not None:
            total["finished_at"] = max(total["finished_at"] or 0, row.finished_at)
    return found


def running(conn: Connection, ids: Collection[int]) -> dict[int, tuple[int, int]]:
    """Return the package and the stored bytes of these downloads."""
    found: dict[int, tuple[int, int]] = {}
    for some in in_batches(list(ids)):
        query = select(downloads.c.id, downloads.c.package_id, downloads.c.bytes_done)
        for row in conn.execute(query.where(downloads.c.id.in_(some))):
            found[row.id] = (row.package_id, row.bytes_done)
    return found


def files(conn: Connection, package_id: int) -> list[Any]:
    """Return the downloads of a package in their order."""
    query = select(downloads).where(downloads.c.package_id == package_id)
    return list(conn.execute(query.order_by(downloads.c.position)).all())


def package_order(conn: Connection) -> list[int]:
    query = select(packages.c.id).where(_IN_QUEUE)
    return list(conn.execute(query.order_by(packages.c.position, packages.c.id)).scalars())


def extras(conn: Connection, ids: Collection[int] | None = None) -> dict[int, StoredExtras]:
    query = select(qbittorrent_packages)
    if ids is not None:
        query = query.where(qbittorrent_packages.c.package_id.in_(ids))
    return {
        row.package_id: StoredExtras(row.hash, row.category, row.tags)
        for row in conn.execute(query)
    }


def put_extras(conn: Connection, package_id: int, given: StoredExtras) -> None:
    table = qbittorrent_packages
    changed = update(table).where(table.c.package_id == package_id).values(**given._asdict())
    if not conn.execute(changed).rowcount:
        conn.execute(insert(table).values(package_id=package_id, **given._asdict()))


def id_of(conn: Connection, hash: str) -> int | None:
    """Return the package with this hash: a torrent, or one for which the hash is stored."""
    real = select(torrents_table.c.package_id).where(torrents_table.c.info_hash == hash)
    if found := conn.execute(real.order_by(torrents_table.c.package_id)).scalars().first():
        return int(found)
    table = qbittorrent_packages
    query = select(table.c.package_id).where(table.c.hash == hash)
    return conn.execute(query).scalar_one_or_none()


def in_queue(conn: Connection, package_id: int) -> bool:
    query = select(packages.c.id).where(packages.c.id == package_id, _IN_QUEUE)
    return conn.execute(query).first() is not None


def categories(conn: Connection) -> dict[str, str]:
    """Return the folder of each category."""
    rows = conn.execute(select(qbittorrent_categories).order_by(qbittorrent_categories.c.name))
    return {row.name: row.folder for row in rows}


def put_category(conn: Connection, name: str, folder: str) -> None:
    table = qbittorrent_categories
    if not conn.execute(update(table).where(table.c.name == name).values(folder=folder)).rowcount:
        conn.execute(insert(table).values(name=name, folder=folder))


def remove_categories(conn: Connection, names: Collection[str]) -> None:
    table, members = qbittorrent_categories, qbittorrent_packages
    conn.execute(delete(table).where(table.c.name.in_(names)))
    conn.execute(update(members).where(members.c.category.in_(names)).values(category=""))


def tags(conn: Connection) -> list[str]:
    query = select(qbittorrent_tags.c.name).order_by(qbittorrent_tags.c.name)
    return list(conn.execute(query).scalars())


def add_tags(conn: Connection, names: Iterable[str]) -> None:
    known = set(tags(conn))
    for name in dict.fromkeys(names):
        if name not in known:
            conn.execute(insert(qbittorrent_tags).values(name=name))


def remove_tags(conn: Connection, names: Collection[str]) -> None:
    conn.execute(delete(qbittorrent_tags).where(qbittorrent_tags.c.name.in_(names)))
    for package_id, own in extras(conn).items():
        kept = [tag for tag in own.tags if tag not in names]
        if kept != own.tags:
            put_extras(conn, package_id, own._replace(tags=kept))


def change_package(conn: Connection, package_id: int, values: Mapping[str, Any]) -> None:
    conn.execute(update(packages).where(packages.c.id == package_id).values(**values))
