"""SQL that changes packages, and the states of their downloads."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    bindparam,
    false,
    select,
    update,
)
from sqlalchemy.sql.dml import ReturningUpdate

from quartet.downloads.packages.states import TRANSITIONS, UNDER_WAY, TransitionName
from quartet.downloads.packages.tables import downloads, packages
from quartet.downloads.packages.types import (
    PackageFolder,
)
from quartet.kernel.batches import in_batches

# The columns of a download, which `download_of` needs in this order.


def ids_of_link(conn: Connection, url: str) -> list[tuple[int, int]]:
    """Return the ids and package ids of the downloads with this link."""
    query = select(downloads.c.id, downloads.c.package_id).where(downloads.c.url == url)
    return [(id, package_id) for id, package_id in conn.execute(query)]


def exists(conn: Connection, package_id: int) -> bool:
    query = select(packages.c.id).where(packages.c.id == package_id)
    return conn.execute(query).first() is not None


def folder_of(conn: Connection, package_id: int) -> PackageFolder | None:
    row = conn.execute(select(packages).where(packages.c.id == package_id)).first()
    if row is None:
        return None
    return PackageFolder(row.name, row.target_dir, row.collector, row.moved_from or [])


def change(conn: Connection, package_id: int, values: Mapping[str, Any]) -> bool:
    """Change a package; return False if it does not exist."""
    if not values:
        return exists(conn, package_id)
    query = update(packages).where(packages.c.id == package_id).values(**values)
    return conn.execute(query).rowcount > 0


def set_priority(conn: Connection, package_id: int, priority: int) -> None:
    query = update(downloads).where(downloads.c.package_id == package_id)
    conn.execute(query.values(priority=priority))


def positions(conn: Connection, ids: Sequence[int]) -> dict[int, int]:
    """Return the position of each existing package."""
    found: dict[int, int] = {}
    for some in in_batches(ids):
        query = select(packages.c.id, packages.c.position).where(packages.c.id.in_(some))
        found |= {row.id: row.position for row in conn.execute(query)}
    return found


def set_positions(conn: Connection, positions: Mapping[int, int]) -> None:
    for package_id, position in positions.items():
        query = update(packages).where(packages.c.id == package_id)
        conn.execute(query.values(position=position))


def apply_transition(
    conn: Connection, act: TransitionName, *where: ColumnElement[bool], **values: Any
) -> dict[int, int]:
    """Apply a transition to all matching downloads in an allowed state.

    Every state change goes through this function or `transition`. Returns the package ids by
    download id.
    """
    query = transition(act, *where, **values)
    return {id: package_id for id, package_id in conn.execute(query)}


def transition(
    act: TransitionName, *where: ColumnElement[bool], **values: Any
) -> ReturningUpdate[int, int]:
    """Return the statement of a transition, for those that run so often that building it each time
    would cost more than running it.
    """
    step = TRANSITIONS[act]
    if step.target not in UNDER_WAY:
        # Both belong to this run of the download; the next one needs a slot again.
        values |= {"started_now": False, "before_stop": False}
    return (
        update(downloads)
        .where(downloads.c.status.in_(step.sources), *where)
        .values(status=step.target, **values)
        .returning(downloads.c.id, downloads.c.package_id)
    )


def auto_extract(conn: Connection, package_id: int) -> bool | None:
    """Return whether a complete package is extracted; None means as in the settings."""
    query = select(packages.c.auto_extract).where(packages.c.id == package_id)
    return conn.execute(query).scalar_one_or_none()


def is_host_in_queue(conn: Connection, host: str) -> bool:
    """Return whether the queue has a download of this host; that of a torrent is its info hash."""
    query = (
        select(downloads.c.id)
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(downloads.c.host == host, packages.c.collector == false())
    )
    return conn.execute(query.limit(1)).first() is not None


_UNFINISHED = (
    select(downloads.c.id)
    .where(
        downloads.c.package_id == bindparam("package"),
        downloads.c.status.not_in(("finished", "skipped")),
    )
    .limit(1)
)


def is_complete(conn: Connection, package_id: int) -> bool:
    """Return whether all downloads of a package are finished, except skipped files."""
    return conn.execute(_UNFINISHED, {"package": package_id}).first() is None
