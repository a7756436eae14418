"""Statements that differ between SQLite and PostgreSQL."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table

from quartet.kernel.batches import in_batches
from quartet.kernel.db.upsert import insert_into

__all__ = ["insert_into", "put"]


def put(conn: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows, replacing rows with the same primary key."""
    for some in in_batches(rows):
        _put(conn, table, some)


def _put(conn: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    keys = [column.name for column in table.primary_key]
    statement = insert_into(conn, table)
    others = {name: statement.excluded[name] for name in rows[0] if name not in keys}
    conn.execute(statement.on_conflict_do_update(index_elements=keys, set_=others), list(rows))
