from collections.abc import Collection, Sequence

from sqlalchemy import Connection, delete, exists, func, select, true, update

from quartet.downloads.grabber.types import CollectedLink
from quartet.downloads.packages.tables import downloads, packages
from quartet.kernel.batches import in_batches

_LINK = [downloads.c[field] for field in CollectedLink._fields]


def collectors(conn: Connection, ids: Collection[int]) -> set[int]:
    """Return those packages that are in the link grabber."""
    found: set[int] = set()
    for some in in_batches(list(ids)):
        query = select(packages.c.id).where(packages.c.id.in_(some), packages.c.collector == true())
        found |= set(conn.execute(query).scalars())
    return found


def all_collectors(conn: Connection) -> list[int]:
    query = select(packages.c.id).where(packages.c.collector == true())
    return list(conn.execute(query.order_by(packages.c.position)).scalars())


def links(conn: Connection, ids: Sequence[int]) -> list[CollectedLink]:
    """Return the existing ones of these links, in the order of the ids."""
    found: dict[int, CollectedLink] = {}
    for some in in_batches(ids):
        rows = conn.execute(select(*_LINK).where(downloads.c.id.in_(some)))
        found |= {row.id: CollectedLink._make(row) for row in rows}
    return [found[id] for id in ids if id in found]


def links_of(conn: Connection, package_ids: Sequence[int]) -> list[CollectedLink]:
    """Return the links of packages, in order."""
    found: list[CollectedLink] = []
    for id in package_ids:
        query = select(*_LINK).where(downloads.c.package_id == id).order_by(downloads.c.position)
        found += map(CollectedLink._make, conn.execute(query))
    return found


def copy_package(conn: Connection, package_id: int, name: str, target_dir: str) -> int:
    """Create an empty package with the settings of another one, at the end of the list."""
    own = ("id", "position", "name", "target_dir", "auto_named")
    copied = [column for column in packages.c if column.name not in own]
    last = select(func.max(packages.c.position) + 1).scalar_subquery()
    row = select(*copied, last.label("position")).where(packages.c.id == package_id)
    values = conn.execute(row).mappings().one()
    query = packages.insert().values(**values, name=name, target_dir=target_dir)
    new: int = conn.execute(query.returning(packages.c.id)).scalar_one()
    return new


def move(conn: Connection, ids: Sequence[int], package_id: int) -> None:
    """Append links to a package, in this order."""
    last = select(func.coalesce(func.max(downloads.c.position), 0))
    first = conn.execute(last.where(downloads.c.package_id == package_id)).scalar_one() + 1
    for position, id in enumerate(ids, start=first):
        query = update(downloads).where(downloads.c.id == id)
        conn.execute(query.values(package_id=package_id, position=position))


def passwords(conn: Connection, package_id: int) -> list[str]:
    query = select(packages.c.passwords).where(packages.c.id == package_id)
    found: list[str] = conn.execute(query).scalar_one()
    return found


def set_passwords(conn: Connection, package_id: int, given: Sequence[str]) -> None:
    query = update(packages).where(packages.c.id == package_id)
    conn.execute(query.values(passwords=list(given)))


def empty(conn: Connection, package_ids: Collection[int]) -> list[int]:
    """Return those packages that have no links."""
    filled = exists().where(downloads.c.package_id == packages.c.id)
    found: list[int] = []
    for some in in_batches(list(package_ids)):
        query = select(packages.c.id).where(packages.c.id.in_(some), ~filled)
        found += conn.execute(query).scalars()
    return found


def delete_packages(conn: Connection, package_ids: Sequence[int]) -> None:
    for some in in_batches(package_ids):
        conn.execute(delete(packages).where(packages.c.id.in_(some)))


def delete_offline(conn: Connection) -> list[CollectedLink]:
    """Delete all offline links of the link grabber and return them."""
    collected = select(packages.c.id).where(packages.c.collector == true())
    query = delete(downloads).where(
        downloads.c.status == "collected",
        downloads.c.online == "offline",
        downloads.c.package_id.in_(collected),
    )
    return [CollectedLink._make(row) for row in conn.execute(query.returning(*_LINK))]
