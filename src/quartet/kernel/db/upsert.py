"""INSERT statements that differ between SQLite and PostgreSQL."""

from typing import TYPE_CHECKING

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import sqlite

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql


def insert_into(conn: Connection, table: Table) -> "postgresql.Insert | sqlite.Insert":
    """Return an INSERT that supports ON CONFLICT."""
    if conn.dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(table)
    return sqlite.insert(table)
