"""SQL for finished downloads: moving, verifying and confirming their files."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, select, text, true, update

from quartet.downloads.packages.store import apply_transition
from quartet.downloads.packages.tables import IS_LIST, downloads, packages
from quartet.downloads.queue.types import FinishedFile, FinishedSibling, PackageTarget, PathRequest

# The SQL counterpart of `is_checksum_list` of the transfer package.
_IS_CHECKSUM_LIST = text(f"({IS_LIST})")


def package_targets(conn: Connection, ids: Collection[int]) -> dict[int, PackageTarget]:
    """Return the package target by download id; deleted downloads are missing."""
    query = (
        select(downloads.c.id, downloads.c.package_id, packages.c.target_dir)
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(downloads.c.id.in_(ids))
    )
    found = conn.execute(query).all()
    lists_query = select(downloads.c.package_id, downloads.c.file).where(
        downloads.c.package_id.in_({row.package_id for row in found}),
        # Filtering by status would read all downloads of the package.
        downloads.c.finished_at.is_not(None),
        downloads.c.file.is_not(None),
        _IS_CHECKSUM_LIST,
    )
    lists = defaultdict(list)
    for package_id, file in conn.execute(lists_query):
        lists[package_id].append(file)
    return {row.id: PackageTarget(row.target_dir, lists[row.package_id]) for row in found}


_MOVING = (
    update(downloads)
    .where(downloads.c.id == bindparam("of"))
    .values(
        file=bindparam("file"),
        name=bindparam("name"),
        size=bindparam("size"),
        bytes_done=bindparam("done"),
        unsynced=bindparam("boot"),
        online="online",
    )
)


def reserve_paths(conn: Connection, moves: Sequence[PathRequest], boot: str) -> dict[int, str]:
    """Store the reserved paths; return the downloads that were not paused or deleted since, with
    the target folder of their package. A path in another folder than that is not reserved.

    `boot` identifies this start of the machine. After a later boot the file is not trusted.
    """
    ids = [move.id for move in moves]
    query = (
        select(downloads.c.id, packages.c.target_dir)
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(downloads.c.id.in_(ids), downloads.c.status == "downloading")
    )
    rows_found = conn.execute(query.with_for_update(of=downloads))
    wanted = {row.id: row.target_dir for row in rows_found}
    rows = [
        {
            "of": move.id,
            "file": move.file,
            "name": move.name,
            "size": move.size,
            "done": move.size,
            "boot": boot,
        }
        for move in moves
        if wanted.get(move.id) == move.folder
    ]
    if rows:
        conn.execute(_MOVING, rows)
    return wanted


def finish(conn: Connection, ids: Collection[int], now: int) -> dict[int, int]:
    """Mark downloads as finished; return the package ids of those that still existed."""
    values = {"error": None, "finished_at": now, "unsettled": True}
    return apply_transition(conn, "finish", downloads.c.id.in_(ids), **values)


def with_checksum_lists(conn: Connection, package_ids: Collection[int]) -> set[int]:
    """Return which of these packages contain a checksum list."""
    query = select(downloads.c.package_id).where(
        downloads.c.package_id.in_(package_ids), _IS_CHECKSUM_LIST
    )
    return set(conn.execute(query).scalars())


def unsettled(conn: Connection) -> list[FinishedFile]:
    columns = [downloads.c[field] for field in FinishedFile._fields]
    query = select(*columns).where(downloads.c.unsettled == true(), downloads.c.file.is_not(None))
    return [FinishedFile(*row) for row in conn.execute(query.order_by(downloads.c.id))]


def mark_settled(conn: Connection, ids: Collection[int]) -> None:
    conn.execute(update(downloads).where(downloads.c.id.in_(ids)).values(unsettled=False))


class Unsynced(NamedTuple):
    id: int
    file: str | None
    # The boot id at the time the file was moved.
    boot: str


def unsynced(conn: Connection, limit: int) -> list[Unsynced]:
    query = select(downloads.c.id, downloads.c.file, downloads.c.unsynced).where(
        # Filtering by status would read all finished downloads; few are unsynced.
        downloads.c.unsynced.is_not(None),
        downloads.c.finished_at.is_not(None),
    )
    return [Unsynced(*row) for row in conn.execute(query.limit(limit))]


def mark_synced(conn: Connection, ids: Collection[int]) -> None:
    conn.execute(update(downloads).where(downloads.c.id.in_(ids)).values(unsynced=None))


def requeue(conn: Connection, ids: Collection[int]) -> None:
    """Requeue finished downloads to fetch them again."""
    reset = {"file": None, "finished_at": None, "bytes_done": 0, "unsettled": False}
    apply_transition(conn, "doubt", downloads.c.id.in_(ids), unsynced=None, hash_ok=None, **reset)


def siblings(conn: Connection, package_id: int) -> list[FinishedSibling]:
    columns = [downloads.c[field] for field in FinishedSibling._fields]
    query = select(*columns).where(
        downloads.c.package_id == package_id,
        downloads.c.status == "finished",
        downloads.c.file.is_not(None),
    )
    return [FinishedSibling(*row) for row in conn.execute(query)]


def set_verified(conn: Connection, id: int, **values: Any) -> None:
    """Store the result of verifying a finished file."""
    query = update(downloads).where(downloads.c.id == id, downloads.c.status == "finished")
    conn.execute(query.values(**values))
