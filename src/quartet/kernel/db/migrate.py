"""Upgrades the schema of a service at start-up, in one transaction."""

import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import MetaData, inspect, text

from quartet.kernel.db.database import Database
from quartet.kernel.errors import OperatorError

COPIES_KEPT = 3


class NewerSchema(OperatorError):
    """The database was written by a newer version of the program."""

    may_pass = False


@dataclass(frozen=True)
class History:
    """The tables of a service and the folder of its migrations (`versions/0001_….py`)."""

    service: str
    metadata: MetaData
    folder: Path

    @property
    def head(self) -> int:
        return max(int(path.name[:4]) for path in (self.folder / "versions").glob("[0-9]*.py"))


def migrate(db: Database, history: History) -> int:
    """Run missing migrations in one transaction, under a lock; return the schema version."""
    version = schema_version(db)
    if version > history.head:
        raise NewerSchema(
            f"the database has schema {version}, this version supports up to {history.head}"
        )
    if version == history.head:
        return version
    # Importing Alembic takes a quarter of a second, and most starts have nothing to upgrade.
    from quartet.kernel.db.upgrade import upgrade

    if db.kind == "sqlite" and version > 0:
        _copy_before_upgrade(db.file, version)
    with db.engine.begin() as conn:
        if db.kind == "postgresql":
            # Two processes may start at the same time. On SQLite, BEGIN IMMEDIATE locks already.
            conn.execute(text("SELECT pg_advisory_xact_lock(hashtext(:s))"), {"s": history.service})
            conn.execute(text(f'CREATE SCHEMA IF NOT EXISTS "{history.service}"'))
        upgrade(conn, history.folder)
    return schema_version(db)


def schema_version(db: Database) -> int:
    """Return the number of the last migration; 0 for an empty database."""
    with db.engine.connect() as conn:
        if not inspect(conn).has_table("alembic_version"):
            return 0
        return int(conn.execute(text("SELECT version_num FROM alembic_version")).scalar() or 0)


def _copy_before_upgrade(path: Path, version: int) -> None:
    copy = path.with_name(f"{path.stem}.schema-{version}.sqlite3")
    partial = copy.with_suffix(".partial")
    copy_sqlite(path, partial)
    partial.replace(copy)
    copies = sorted(path.parent.glob(f"{path.stem}.schema-*.sqlite3"), key=_version_of_copy)
    for old in copies[:-COPIES_KEPT]:
        old.unlink()


def copy_sqlite(source: Path, target: Path) -> None:
    """Copy a consistent snapshot, even while other connections write."""
    make_private(target)
    reader, writer = sqlite3.connect(source), sqlite3.connect(target)
    try:
        reader.backup(writer)
    finally:
        reader.close()
        writer.close()


def make_private(path: Path) -> None:
    """Make a SQLite file readable only by its owner; create it if it is missing.

    SQLite gives new journal files the mode of the database.
    """
    path.touch(mode=0o600)
    for file in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
        # The files may belong to another user, or not exist.
        with suppress(PermissionError, FileNotFoundError):
            file.chmod(0o600)


def _version_of_copy(path: Path) -> int:
    return int(path.stem.rsplit("-", 1)[1])
