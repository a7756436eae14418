"""SQL for finished downloads: moving, verifying and confirming their files."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, case, exists, select, text, true, update

from quartet.downloads.history.types import HistoryFile
from quartet.downloads.packages.store import apply_transition, transition
from quartet.downloads.packages.tables import IS_LIST, downloads, packages
from quartet.downloads.queue.types import FileTarget, FinishedFile, FinishedSibling, PathRequest

# The SQL counterpart of `is_checksum_list` of the transfer package.
_IS_CHECKSUM_LIST = text(f"({IS_LIST})")
# Statements that run for nearly every file are built once: building one takes longer than running
# it.
_THESE = downloads.c.id.in_(bindparam("ids", expanding=True))


_FIXED_NAME = case((downloads.c.name_fixed == true(), downloads.c.name)).label("name")


def targets(conn: Connection, ids: Collection[int]) -> dict[int, FileTarget]:
    """Return the target by download id; deleted downloads are missing."""
    query = (
        select(downloads.c.id, downloads.c.package_id, packages.c.target_dir, _FIXED_NAME)
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
    return {row.id: FileTarget(row.target_dir, lists[row.package_id], row.name) for row in found}


_TARGETS = (
    select(downloads.c.id, packages.c.target_dir, _FIXED_NAME)
    .join(packages, packages.c.id == downloads.c.package_id)
    .where(_THESE, downloads.c.status == "downloading")
    .with_for_update(of=downloads)
)
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


def reserve_paths(conn: Connection, moves: Sequence[PathRequest], boot: str) -> dict[int, bool]:
    """Store the reserved paths; return the downloads that were not paused or deleted since, and
    whether the path of each was reserved: it is not if folder or name were changed since.

    `boot` identifies this start of the machine. After a later boot the file is not trusted.
    """
    rows_found = conn.execute(_TARGETS, {"ids": [move.id for move in moves]})
    wanted = {id: (folder, name) for id, folder, name in rows_found}
    reserved = {
        move.id: wanted[move.id] in ((move.folder, None), (move.folder, move.name))
        for move in moves
        if move.id in wanted
    }
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
        if reserved.get(move.id)
    ]
    if rows:
        conn.execute(_MOVING, rows)
    return reserved


class FinishedDownload(NamedTuple):
    """What is known about a download that was just marked as finished."""

    id: int
    package_id: int
    # Whether the package has a checksum list, so that follow-up work is left.
    unsettled: bool
    entry: HistoryFile


_other = downloads.alias()
_HAS_LIST = exists().where(_other.c.package_id == downloads.c.package_id, _IS_CHECKSUM_LIST)
_PACKAGE_NAME = select(packages.c.name).where(packages.c.id == downloads.c.package_id)
_FINISH = transition(
    "finish", _THESE, error=None, finished_at=bindparam("now"), unsettled=_HAS_LIST
).returning(
    downloads.c.unsettled,
    *(downloads.c[field] for field in HistoryFile._fields[:-1]),
    _PACKAGE_NAME.scalar_subquery(),
)


def finish(conn: Connection, ids: Collection[int], now: int) -> list[FinishedDownload]:
    """Mark downloads as finished; return those that still existed."""
    rows = conn.execute(_FINISH, {"ids": list(ids), "now": now})
    return [
        FinishedDownload(id, package_id, unsettled, HistoryFile(*entry))
        for id, package_id, unsettled, *entry in rows
    ]


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


_UNSYNCED = (
    select(downloads.c.id, downloads.c.file, downloads.c.unsynced)
    .where(
        # Filtering by status would read all finished downloads; few are unsynced.
        downloads.c.unsynced.is_not(None),
        downloads.c.finished_at.is_not(None),
    )
    .limit(bindparam("most"))
)


def unsynced(conn: Connection, limit: int) -> list[Unsynced]:
    return [Unsynced(*row) for row in conn.execute(_UNSYNCED, {"most": limit})]


_SYNCED = update(downloads).where(_THESE).values(unsynced=None)


def mark_synced(conn: Connection, ids: Collection[int]) -> None:
    conn.execute(_SYNCED, {"ids": list(ids)})


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
