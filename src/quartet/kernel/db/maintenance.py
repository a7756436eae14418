"""Checks of a whole database, and operations on the schemas of PostgreSQL."""

from sqlalchemy import inspect, text

from quartet.kernel.db.database import Database


def is_intact(db: Database) -> bool:
    """Check the structure of a SQLite file."""
    with db.engine.connect() as conn:
        return list(conn.execute(text("PRAGMA integrity_check")).scalars()) == ["ok"]


def rename_schema(db: Database, before: str, after: str) -> None:
    """Rename a schema if it exists."""
    if before in inspect(db.engine).get_schema_names():
        with db.engine.begin() as conn:
            conn.execute(text(f'ALTER SCHEMA "{before}" RENAME TO "{after}"'))


def drop_schema(db: Database, name: str) -> None:
    with db.engine.begin() as conn:
        conn.execute(text(f'DROP SCHEMA IF EXISTS "{name}" CASCADE'))
