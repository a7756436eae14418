from typing import Any

from sqlalchemy import Column, Dialect, Index, Text
from sqlalchemy.types import TypeDecorator

from quartet.kernel.db import BigInt, Flag, Json, postgresql_index, strict_table
from quartet.kernel.db import Text as PlainText
from quartet.media.roots.path_encoding import decode_path, encode_path
from quartet.media.tables import metadata


class SystemPath(TypeDecorator[str]):
    """A system path, stored as text without loss."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else encode_path(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else decode_path(value)


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
    # For the files moved per week.
    Index("operations_executed_at", "executed_at"),
    # A hash index, because paths may be too long for a B-tree index.
    postgresql_index(Index("operations_target", "target"), using="hash"),
)
