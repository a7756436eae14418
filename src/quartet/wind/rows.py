"""The one statement that both databases spell in their own way."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

# SQLite binds a limited number of values in one statement.
_AT_ONCE = 1000


def put(conn: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Adds rows, and replaces those that have the same key."""
    for start in range(0, len(rows), _AT_ONCE):
        _put(conn, table, rows[start : start + _AT_ONCE])


def _put(conn: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    keys = [column.name for column in table.primary_key]
    insert = postgresql.insert if conn.dialect.name == "postgresql" else sqlite.insert
    statement = insert(table)
    others = {name: statement.excluded[name] for name in rows[0] if name not in keys}
    conn.execute(statement.on_conflict_do_update(index_elements=keys, set_=others), list(rows))
