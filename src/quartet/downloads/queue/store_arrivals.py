"""The last writes about a download whose bytes are all there; rules as in `store`."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from sqlalchemy import Connection, bindparam, select, text, true, update

from quartet.downloads.packages.store import take
from quartet.downloads.packages.tables import IS_LIST, downloads, packages
from quartet.downloads.queue.types import Landed, Move, Package

# As the transfer engine knows lists of checksums.
_LISTS = text(f"({IS_LIST})")


def packages_of(conn: Connection, ids: Collection[int]) -> dict[int, Package]:
    """For each of these downloads; without those that are gone."""
    query = (
        select(downloads.c.id, downloads.c.package_id, packages.c.target_dir)
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(downloads.c.id.in_(ids))
    )
    found = conn.execute(query).all()
    listed = select(downloads.c.package_id, downloads.c.file).where(
        downloads.c.package_id.in_({row.package_id for row in found}),
        # Not by their status: then all of the package would be read.
        downloads.c.finished_at.is_not(None),
        downloads.c.file.is_not(None),
        _LISTS,
    )
    lists = defaultdict(list)
    for package_id, file in conn.execute(listed):
        lists[package_id].append(file)
    return {row.id: Package(row.target_dir, lists[row.package_id]) for row in found}


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


def about_to_move(conn: Connection, moves: Sequence[Move], boot: str) -> set[int]:
    """Those that were neither paused nor deleted in the meantime.

    `boot` is this start of the machine: after another one nobody knows what the disk wrote.
    """
    ids = [move.id for move in moves]
    query = select(downloads.c.id).where(
        downloads.c.id.in_(ids), downloads.c.status == "downloading"
    )
    wanted = set(conn.execute(query.with_for_update()).scalars())
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
        if move.id in wanted
    ]
    if rows:
        conn.execute(_MOVING, rows)
    return wanted


def finish(conn: Connection, ids: Collection[int], now: int) -> dict[int, int]:
    """Those that were still there to be finished, with their packages."""
    values = {"error": None, "finished_at": now, "unsettled": True}
    return take(conn, "finish", downloads.c.id.in_(ids), **values)


def with_lists(conn: Connection, package_ids: Collection[int]) -> set[int]:
    """Those of these packages that have a list."""
    query = select(downloads.c.package_id).where(downloads.c.package_id.in_(package_ids), _LISTS)
    return set(conn.execute(query).scalars())


def unsettled(conn: Connection) -> list[Landed]:
    columns = [downloads.c[field] for field in Landed._fields]
    query = select(*columns).where(downloads.c.unsettled == true(), downloads.c.file.is_not(None))
    return [Landed(*row) for row in conn.execute(query.order_by(downloads.c.id))]


def settled(conn: Connection, ids: Collection[int]) -> None:
    conn.execute(update(downloads).where(downloads.c.id.in_(ids)).values(unsettled=False))
