from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, and_, bindparam, insert, select, update

from quartet.kernel.batches import in_batches
from quartet.kernel.errors import Problem
from quartet.media.moves.tables import operations
from quartet.media.moves.types import Operation
from quartet.media.roots.path_encoding import decode_path, encode_path

# How many moves of a file are followed back.
_LONGEST_CHAIN = 20
_EVERYTHING: dict[str, Any] = {
    column.name: bindparam(f"new_{column.name}") for column in operations.c if column.name != "id"
}
_UPDATE = update(operations).where(operations.c.id == bindparam("row_id")).values(_EVERYTHING)
# What a file operation that succeeded changes. Writing only this takes less time, also because
# five of the six indexes stay as they are.
_RESULT_COLUMNS = ("state", "size", "mtime_ns", "inode", "digest", "temporary", "created_folders")
_RESULT = (
    update(operations)
    .where(operations.c.id == bindparam("row_id"))
    .values({name: bindparam(f"new_{name}") for name in _RESULT_COLUMNS})
)
# What an undo changes.
_UNDO_COLUMNS = (
    "state",
    "target",
    "inode",
    "error",
    "backup",
    "parked",
    "temporary",
    "undone_at",
)
_UNDO = (
    update(operations)
    .where(operations.c.id == bindparam("row_id"))
    .values({name: bindparam(f"new_{name}") for name in _UNDO_COLUMNS})
)


def add(conn: Connection, rows: Sequence[Operation]) -> None:
    """Insert the rows and set their ids."""
    if not rows:
        return
    conn.execute(insert(operations), [_stored(row) for row in rows])
    # Asking for the ids in the same statement would need one statement for each row. Ids ascend,
    # and only one thread writes the rows of a run.
    runs: dict[str, list[Operation]] = {}
    for row in rows:
        runs.setdefault(row.run, []).append(row)
    for run, added in runs.items():
        newest = select(operations.c.id).where(operations.c.run == run)
        newest = newest.order_by(operations.c.id.desc()).limit(len(added))
        for row, id in zip(reversed(added), conn.execute(newest).scalars(), strict=True):
            row.id = id


def save(conn: Connection, rows: Sequence[Operation]) -> None:
    values = [
        {"row_id": row.id} | {f"new_{name}": value for name, value in _stored(row).items()}
        for row in rows
    ]
    if values:
        conn.execute(_UPDATE, values)


def save_results(conn: Connection, rows: Sequence[Operation]) -> None:
    """Save what executing the operations changed."""
    save(conn, [row for row in rows if row.error])
    values = [
        {
            "row_id": row.id,
            "new_state": row.state,
            "new_size": row.size,
            "new_mtime_ns": row.mtime_ns,
            "new_inode": row.inode,
            "new_digest": row.digest,
            "new_temporary": row.temporary,
            "new_created_folders": _folders(row),
        }
        for row in rows
        if not row.error
    ]
    if values:
        conn.execute(_RESULT, values)


def save_undo(conn: Connection, rows: Sequence[Operation]) -> None:
    """Save only what an undo changes."""
    values = [
        {"row_id": row.id} | {f"new_{name}": getattr(row, name) for name in _UNDO_COLUMNS}
        for row in rows
    ]
    if values:
        conn.execute(_UNDO, values)


def unfinished(conn: Connection) -> list[Operation]:
    return find(conn, operations.c.state.in_(("intended", "undoing")))


def of_job(conn: Connection, job_id: int) -> list[Operation]:
    return find(conn, operations.c.job_id == job_id)


def original_source(conn: Connection, path: str) -> str | None:
    """Return the source of the operation that put the file there."""
    there = and_(operations.c.target == path, operations.c.state == "done")
    newest = select(operations.c.source).where(there).order_by(operations.c.id.desc()).limit(1)
    return conn.execute(newest).scalar_one_or_none()


def moved_targets(conn: Connection, paths: Sequence[str]) -> set[str]:
    """Return which of these files were put there by an operation."""
    found: set[str] = set()
    for some in in_batches(paths):
        there = and_(operations.c.target.in_(some), operations.c.state == "done")
        found.update(conn.execute(select(operations.c.target).where(there)).scalars())
    return found


def targets_of(conn: Connection, sources: Sequence[str]) -> dict[str, str]:
    """Return where these files were moved or copied to, by their old path."""
    found: dict[str, str] = {}
    for some in in_batches(sources):
        there = and_(operations.c.source.in_(some), operations.c.state == "done")
        query = select(operations.c.source, operations.c.target).where(there)
        main = query.where(operations.c.role == "main").order_by(operations.c.id)
        found.update({source: target for source, target in conn.execute(main)})
    return found


def filed_sources(conn: Connection, paths: Sequence[str]) -> set[str]:
    """Return which of these files an operation has moved or copied."""
    found: set[str] = set()
    for some in in_batches(paths):
        there = and_(operations.c.source.in_(some), operations.c.state == "done")
        found.update(conn.execute(select(operations.c.source).where(there)).scalars())
    return found


def is_artwork(conn: Connection, path: str, size: int, mtime_ns: int) -> bool:
    """Return whether this service wrote the file and nobody has changed it since.

    A job may have moved it, which keeps its size and time.
    """
    columns = (operations.c.role, operations.c.source, operations.c.size, operations.c.mtime_ns)
    for _ in range(_LONGEST_CHAIN):
        there = and_(operations.c.target == path, operations.c.state == "done")
        newest = select(*columns).where(there).order_by(operations.c.id.desc()).limit(1)
        row = conn.execute(newest).first()
        if row is None or (row.size, row.mtime_ns) != (size, mtime_ns):
            return False
        if row.role == "artwork":
            return True
        path = row.source
    return False


def previous_operation(conn: Connection, later: Operation) -> Operation | None:
    """Return the operation that put the file where the later one took it from."""
    query = (
        select(operations)
        .where(
            operations.c.target == later.source,
            operations.c.state == "done",
            operations.c.id < later.id,
        )
        .order_by(operations.c.id.desc())
        .limit(1)
    )
    row = conn.execute(query).first()
    return operation(row) if row else None


def find(conn: Connection, *where: ColumnElement[bool]) -> list[Operation]:
    query = select(operations).where(*where).order_by(operations.c.id)
    return [operation(row) for row in conn.execute(query)]


def created_folders_of(conn: Connection, runs: Sequence[str]) -> set[str]:
    """Return all folders that these runs created."""
    found: set[str] = set()
    column = operations.c.created_folders
    for some in in_batches(runs):
        query = select(column).where(operations.c.run.in_(some), column.is_not(None))
        found.update(decode_path(text) for row in conn.execute(query).scalars() for text in row)
    return found


def operation(row: Row[Any]) -> Operation:
    values = dict(row._mapping)
    values["created_folders"] = [decode_path(text) for text in values["created_folders"] or []]
    if values["error"] is not None:
        values["error"] = msgspec.convert(values["error"], Problem)
    return Operation(**values)


def _stored(row: Operation) -> dict[str, Any]:
    values = row.values()
    values["created_folders"] = _folders(row)
    return values


def _folders(row: Operation) -> list[str] | None:
    return [encode_path(path) for path in row.created_folders] or None
