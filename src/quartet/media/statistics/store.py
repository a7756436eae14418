from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, delete, func, insert, select

from quartet.media.moves.tables import operations
from quartet.media.statistics.tables import library_sizes

DAY_MS = 24 * 3600 * 1000
WEEK_MS = 7 * DAY_MS
# 1970 began on a Thursday.
FIRST_MONDAY_MS = 4 * DAY_MS


class Size(NamedTuple):
    folder_id: int
    day: int
    files: int
    bytes: int


def moved_files(conn: Connection, since_ms: int) -> dict[int, tuple[int, int]]:
    """Return the number and bytes of files by the number of the week."""
    week = ((operations.c.executed_at - FIRST_MONDAY_MS) // WEEK_MS).label("week")
    query = (
        select(week, func.count(), func.sum(operations.c.size))
        .where(
            operations.c.executed_at >= since_ms,
            operations.c.state == "done",
            operations.c.role == "main",
        )
        .group_by(week)
    )
    return {int(number): (files, int(size)) for number, files, size in conn.execute(query)}


def put_sizes(conn: Connection, sizes: Sequence[Size]) -> None:
    """Store the sizes; a later measurement on the same day replaces the earlier one."""
    for size in sizes:
        conn.execute(
            delete(library_sizes).where(
                library_sizes.c.folder_id == size.folder_id, library_sizes.c.day == size.day
            )
        )
        conn.execute(insert(library_sizes).values(size._asdict()))


def all_sizes(conn: Connection) -> list[Size]:
    query = select(library_sizes).order_by(library_sizes.c.folder_id, library_sizes.c.day)
    return [Size(*row) for row in conn.execute(query)]


def remove_before(conn: Connection, day: int) -> None:
    conn.execute(delete(library_sizes).where(library_sizes.c.day < day))
