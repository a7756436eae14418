"""Files of removed jobs, which a watch folder must not pick up again."""

from collections.abc import Sequence

from sqlalchemy import Connection, and_, delete, exists, false, insert, select

from quartet.kernel.batches import in_batches
from quartet.media.jobs.tables import items, seen_files
from quartet.media.moves.tables import operations

Seen = tuple[str, int, int]


def known_files(conn: Connection, sources: Sequence[str]) -> set[Seen]:
    """Return which of these files belonged to a removed job or were restored by an undo."""
    found: set[Seen] = set()
    for some in in_batches(sources):
        for table, where in ((seen_files.c, ()), (operations.c, (operations.c.state == "undone",))):
            query = select(table.source, table.size, table.mtime_ns)
            rows = conn.execute(query.where(*where, table.source.in_(some)))
            found.update((source, size, mtime_ns) for source, size, mtime_ns in rows)
    return found


def every(conn: Connection) -> list[Seen]:
    query = select(seen_files.c.source, seen_files.c.size, seen_files.c.mtime_ns)
    return [(source, size, mtime_ns) for source, size, mtime_ns in conn.execute(query)]


def remember(conn: Connection, job_id: int) -> None:
    twin = exists().where(
        seen_files.c.source == items.c.source,
        seen_files.c.size == items.c.size,
        seen_files.c.mtime_ns == items.c.mtime_ns,
    )
    files = and_(items.c.job_id == job_id, items.c.is_folder.is_(false()), ~twin)
    query = select(items.c.source, items.c.size, items.c.mtime_ns).where(files)
    conn.execute(insert(seen_files).from_select(["source", "size", "mtime_ns"], query))


def forget(conn: Connection, sources: Sequence[str]) -> None:
    for some in in_batches(sources):
        conn.execute(delete(seen_files).where(seen_files.c.source.in_(some)))
