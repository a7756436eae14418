from sqlalchemy import Column, MetaData, Table

from quartet.kernel.db import BigInt, History, Text, strict_table

NAME = "audit_log"


def audit_table(metadata: MetaData) -> Table:
    """The newest events of the audit log; ids are never reused."""
    return strict_table(
        NAME,
        metadata,
        Column("id", BigInt, primary_key=True),
        Column("at", BigInt, nullable=False),
        Column("event", Text, nullable=False, index=True),
        Column("client", Text, nullable=False),
        Column("user", Text, nullable=False),
        Column("code", Text, nullable=False),
        Column("path", Text, nullable=False),
    )


def table_of(history: History) -> Table:
    return history.metadata.tables[NAME]
