from typing import Any

from sqlalchemy import Column, Dialect, Index, Text
from sqlalchemy.types import TypeDecorator

from quartet.kernel.db import BigInt, Flag, Json, strict_table
from quartet.kernel.db import Text as PlainText
from quartet.media.metadata import metadata
from quartet.media.roots.texts import path_of, path_text


class SystemPath(TypeDecorator[str]):
    """A path of the system, kept as text without loss."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else path_text(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else path_of(value)


operations = strict_table(
    "operations",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column("run", PlainText, nullable=False),
    Column("job_id", BigInt),
    Column("item_id", BigInt),
    Column("role", PlainText, nullable=False),
    Column("action", PlainText, nullable=False),
    Column("source", SystemPath, nullable=False),
    Column("target", SystemPath, nullable=False),
    Column("is_folder", Flag, nullable=False),
    Column("size", BigInt, nullable=False),
    Column("mtime_ns", BigInt, nullable=False),
    Column("inode", BigInt, nullable=False),
    Column("digest", PlainText),
    Column("backup", SystemPath),
    Column("parked", SystemPath),
    Column("temporary", SystemPath),
    Column("created_folders", Json),
    Column("state", PlainText, nullable=False),
    Column("error", Json),
    Column("executed_at", BigInt, nullable=False),
    Column("undone_at", BigInt),
    Index("operations_job", "job_id"),
    Index("operations_item", "item_id"),
    Index("operations_run", "run"),
    Index("operations_state", "state"),
    # Paths may be longer than an ordinary index of PostgreSQL takes.
    Index("operations_target", "target", postgresql_using="hash"),
)
