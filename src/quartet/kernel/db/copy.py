"""Copies all rows from one database to another, of either kind."""

from collections.abc import Generator, Sequence
from contextlib import closing
from typing import Any

from sqlalchemy import Connection, MetaData, RowMapping, Table, func, insert, select, text, tuple_

from quartet.kernel.db.database import Database
from quartet.kernel.db.migrate import History, migrate
from quartet.kernel.errors import OperatorError

ROWS_AT_ONCE = 1000


class CopyError(OperatorError):
    """A database that could not be copied."""


def copy_database(source: Database, target: Database, history: History) -> int:
    """Copy to an empty database in one transaction and compare every row afterwards."""
    migrate(source, history)
    migrate(target, history)
    with source.engine.connect() as rows, target.engine.begin() as conn:
        if any(_count(conn, table) for table in history.metadata.sorted_tables):
            raise CopyError("the target already contains data; it must be empty")
        copied = copy_rows(rows, conn, history.metadata)
        check_rows(rows, conn, history.metadata)
        if target.kind == "sqlite":
            # Some secrets are plain text in PostgreSQL: let the next start encrypt them.
            conn.exec_driver_sql("PRAGMA user_version = 0")
    return copied


def copy_rows(source: Connection, target: Connection, metadata: MetaData) -> int:
    """Copy all rows to empty tables of the same schema, parents first; return the row count."""
    return sum(_copy_table(source, target, table) for table in metadata.sorted_tables)


def _copy_table(source: Connection, target: Connection, table: Table) -> int:
    count = 0
    for part in _row_batches(source, table):
        target.execute(insert(table), [dict(row) for row in part])
        count += len(part)
    if target.dialect.name == "postgresql":
        _continue_numbering(target, table)
    return count


def check_rows(source: Connection, target: Connection, metadata: MetaData) -> None:
    """Raise CopyError unless both databases contain the same rows."""
    for table in metadata.sorted_tables:
        if _count(source, table) != _count(target, table):
            raise CopyError(f"{table.name} has a different number of rows")
        with closing(_row_batches(source, table)) as parts:
            if any(_differ(target, table, part) for part in parts):
                raise CopyError(f"a row of {table.name} differs")


def _differ(target: Connection, table: Table, part: Sequence[RowMapping]) -> bool:
    return _by_key(table, part) != _by_key(table, _same_keys(target, table, part))


def _row_batches(conn: Connection, table: Table) -> Generator[Sequence[RowMapping]]:
    with conn.execution_options(yield_per=ROWS_AT_ONCE).execute(select(table)) as rows:
        yield from rows.mappings().partitions(ROWS_AT_ONCE)


def _same_keys(conn: Connection, table: Table, rows: Sequence[RowMapping]) -> Sequence[RowMapping]:
    keys = [_key(table, row) for row in rows]
    first, *more = table.primary_key
    # SQLite does not support row values with one column.
    wanted = tuple_(first, *more).in_(keys) if more else first.in_([key[0] for key in keys])
    return conn.execute(select(table).where(wanted)).mappings().all()


def _count(conn: Connection, table: Table) -> int:
    return conn.execute(select(func.count()).select_from(table)).scalar_one()


def _by_key(table: Table, rows: Sequence[RowMapping]) -> dict[tuple[Any, ...], dict[str, Any]]:
    return {_key(table, row): dict(row) for row in rows}


def _key(table: Table, row: RowMapping) -> tuple[Any, ...]:
    return tuple(row[column.name] for column in table.primary_key)


def _continue_numbering(target: Connection, table: Table) -> None:
    """Advance PostgreSQL's sequence past the copied ids."""
    column = table.autoincrement_column
    if column is None:
        return
    highest = target.execute(select(func.max(column))).scalar()
    if highest is not None:
        target.execute(
            text("SELECT setval(pg_get_serial_sequence(:table, :column), :highest)"),
            {"table": table.name, "column": column.name, "highest": highest},
        )
