from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select

from quartet.kernel.batches import in_batches
from quartet.media.history.types import JobChanges
from quartet.media.moves.store import find, operation
from quartet.media.moves.tables import operations
from quartet.media.moves.types import Operation
from quartet.media.roots.allowed_folders import is_within


def page(
    conn: Connection, before: int | None, text: str, include_undone: bool, limit: int
) -> list[Operation]:
    states = ("done", "undone") if include_undone else ("done",)
    where: list[ColumnElement[bool]] = [operations.c.state.in_(states)]
    if text:
        where.append(_mentions(text))
    return _newest(conn, where, before, limit)


def latest_files(conn: Connection, limit: int) -> list[Operation]:
    """Return the latest main files, without companions, pictures and junk."""
    return _newest(conn, [_done(), operations.c.role == "main"], None, limit)


def changes_of_job(conn: Connection, job_id: int) -> JobChanges:
    is_file = operations.c.role.in_(("main", "companion"))
    query = select(
        func.count().filter(is_file), func.count(), func.min(operations.c.executed_at)
    ).where(_done(), operations.c.job_id == job_id)
    files, undoable, since = conn.execute(query).one()
    return JobChanges(job_id, files, undoable, since or 0)


def backups(conn: Connection, before: int | None, limit: int) -> list[Operation]:
    return _newest(conn, [_has_backup()], before, limit)


def backups_with(conn: Connection, ids: Sequence[int]) -> list[Operation]:
    return [
        row
        for some in in_batches([*dict.fromkeys(ids)])
        for row in find(conn, _has_backup(), operations.c.id.in_(some))
    ]


def old_junk(conn: Connection, before_ms: int) -> list[Operation]:
    return find(conn, _is_junk(), operations.c.executed_at < before_ms)


def old_replaced(conn: Connection, before_ms: int) -> list[Operation]:
    return find(conn, _has_replaced(), operations.c.executed_at < before_ms)


def done_of_job(conn: Connection, job_id: int) -> list[Operation]:
    return find(conn, _done(), operations.c.job_id == job_id)


def done_since(conn: Connection, since_ms: int) -> list[Operation]:
    return find(conn, _done(), operations.c.executed_at >= since_ms)


def done_of_items(conn: Connection, item_ids: Sequence[int]) -> list[Operation]:
    return [
        row
        for some in in_batches([*dict.fromkeys(item_ids)])
        for row in find(conn, _done(), operations.c.item_id.in_(some))
    ]


def junk_removed_with(conn: Connection, rows: Sequence[Operation]) -> list[Operation]:
    """Return the junk that their jobs removed from the folders of these files."""
    moved = [row for row in rows if row.action == "move" and row.role in ("main", "companion")]
    jobs = {row.job_id for row in moved if row.job_id is not None}
    folders = {(row.job_id, row.source.rpartition("/")[0]) for row in moved}
    return [
        junk
        for some in in_batches(sorted(jobs))
        for junk in find(conn, _done(), operations.c.role == "junk", operations.c.job_id.in_(some))
        if any(junk.job_id == job and _same_release(junk.source, at) for job, at in folders)
    ]


def _same_release(junk: str, folder: str) -> bool:
    """Also junk of the folders above, which were empty without this folder."""
    return is_within(junk, folder) or is_within(folder, junk.rpartition("/")[0])


def by_ids(conn: Connection, ids: Sequence[int]) -> list[Operation]:
    return [
        row
        for some in in_batches([*dict.fromkeys(ids)])
        for row in find(conn, operations.c.id.in_(some))
    ]


def _newest(
    conn: Connection, where: list[ColumnElement[bool]], before: int | None, limit: int
) -> list[Operation]:
    # By id, because the clock may have been set back; imported entries follow their import.
    if before is not None:
        where = [*where, operations.c.id < before]
    query = select(operations).where(*where).order_by(operations.c.id.desc()).limit(limit)
    return [operation(row) for row in conn.execute(query)]


def _done() -> ColumnElement[bool]:
    return operations.c.state == "done"


def _has_backup() -> ColumnElement[bool]:
    return or_(_has_replaced(), _is_junk())


def _has_replaced() -> ColumnElement[bool]:
    """Also includes failed operations whose old file could not be restored."""
    return and_(operations.c.backup.is_not(None), operations.c.state.in_(("done", "failed")))


def _is_junk() -> ColumnElement[bool]:
    return and_(operations.c.role == "junk", _done())


def _mentions(text: str) -> ColumnElement[bool]:
    lower = text.lower()
    return or_(
        *(
            func.lower(column).contains(lower, autoescape=True)
            for column in (operations.c.source, operations.c.target)
        )
    )
