"""Rows from one database to another, whichever kinds they are."""

from sqlalchemy import Connection, MetaData, Table, func, insert, select, text

ROWS_AT_ONCE = 1000


def copy_rows(source: Connection, target: Connection, metadata: MetaData) -> int:
    """Into empty tables of the same schema, parents before children; gives the number of rows."""
    return sum(_copy_table(source, target, table) for table in metadata.sorted_tables)


def _copy_table(source: Connection, target: Connection, table: Table) -> int:
    count = 0
    rows = source.execution_options(yield_per=ROWS_AT_ONCE).execute(select(table))
    for part in rows.mappings().partitions(ROWS_AT_ONCE):
        target.execute(insert(table), [dict(row) for row in part])
        count += len(part)
    if target.dialect.name == "postgresql":
        _continue_numbering(target, table)
    return count


def _continue_numbering(target: Connection, table: Table) -> None:
    """Rows came with their ids, and PostgreSQL's own counter has not noticed."""
    column = table.autoincrement_column
    if column is None:
        return
    highest = target.execute(select(func.max(column))).scalar()
    if highest is not None:
        target.execute(
            text("SELECT setval(pg_get_serial_sequence(:table, :column), :highest)"),
            {"table": table.name, "column": column.name, "highest": highest},
        )
