from collections.abc import Collection, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, exists, false, insert, or_, select, true, update

from quartet.downloads.bittorrent.tables import torrents
from quartet.downloads.packages.tables import downloads, packages
from quartet.downloads.rules.tables import rules
from quartet.downloads.rules.types import Rule, RuleLink
from quartet.kernel.batches import in_batches

_LINK = [
    downloads.c.id,
    downloads.c.package_id,
    downloads.c.host,
    downloads.c.name,
    downloads.c.size,
    packages.c.name.label("package_name"),
    packages.c.source,
    packages.c.source_page,
]


def all_rules(conn: Connection) -> list[Rule]:
    rows = conn.execute(select(rules.c.value).order_by(rules.c.position)).scalars()
    return [msgspec.convert(value, Rule) for value in rows]


def replace(conn: Connection, given: Sequence[Rule]) -> None:
    conn.execute(delete(rules))
    rows = [
        {"position": position, "value": msgspec.to_builtins(rule)}
        for position, rule in enumerate(given, start=1)
    ]
    if rows:
        conn.execute(insert(rules), rows)


def collected(conn: Connection) -> list[RuleLink]:
    """Return all links of the link grabber."""
    query = select(*_LINK).join(packages, packages.c.id == downloads.c.package_id)
    found = conn.execute(query.where(packages.c.collector == true()))
    return [RuleLink(*row) for row in found]


def ready(conn: Connection, download_ids: Collection[int]) -> list[RuleLink]:
    """Return the links of the packages of these downloads whose links have all been checked.

    Packages to which the rules were applied before are left out, so that the changes of the user
    stay.
    """
    found: list[RuleLink] = []
    others = downloads.alias()
    pending = exists().where(
        others.c.package_id == packages.c.id,
        or_(others.c.check_wanted == true(), others.c.status == "crawling"),
    )
    ids: set[int] = set()
    for some in in_batches(list(download_ids)):
        query = (
            select(packages.c.id)
            .join(downloads, downloads.c.package_id == packages.c.id)
            .where(
                downloads.c.id.in_(some),
                packages.c.collector == true(),
                packages.c.ruled == false(),
                ~pending,
            )
        )
        ids |= set(conn.execute(query).scalars())
    for package_id in sorted(ids):
        query = select(*_LINK).join(packages, packages.c.id == downloads.c.package_id)
        query = query.where(packages.c.id == package_id).order_by(downloads.c.position)
        found += [RuleLink(*row) for row in conn.execute(query)]
    return found


def mark_ruled(conn: Connection, package_ids: Collection[int]) -> None:
    for some in in_batches(list(package_ids)):
        conn.execute(update(packages).where(packages.c.id.in_(some)).values(ruled=True))


def existing(conn: Connection, name: str) -> int | None:
    """Return a package of the link grabber with this name, which is not a torrent."""
    query = select(packages.c.id).where(
        packages.c.name == name,
        packages.c.collector == true(),
        packages.c.id.not_in(select(torrents.c.package_id)),
    )
    return conn.execute(query.order_by(packages.c.position).limit(1)).scalar_one_or_none()


def change_package(conn: Connection, package_id: int, values: dict[str, Any]) -> None:
    conn.execute(update(packages).where(packages.c.id == package_id).values(**values))


def set_priority(conn: Connection, ids: Collection[int], priority: int) -> None:
    for some in in_batches(list(ids)):
        conn.execute(update(downloads).where(downloads.c.id.in_(some)).values(priority=priority))


def delete_links(conn: Connection, ids: Collection[int]) -> None:
    for some in in_batches(list(ids)):
        conn.execute(delete(downloads).where(downloads.c.id.in_(some)))
