from sqlalchemy import Column, Index

from quartet.downloads.metadata import metadata
from quartet.kernel.db import BigInt, Text, strict_table

# Separate from the downloads, so that clearing the queue keeps them.
history = strict_table(
    "history",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column("finished_at", BigInt, nullable=False),
    Column("name", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("size", BigInt),
    Column("package_name", Text, nullable=False),
    Column("file", Text),
    Index("history_by_time", "finished_at"),
)
# Sums by day, so that statistics do not read the entries.
history_days = strict_table(
    "history_days",
    metadata,
    # Days since 1970-01-01, in local time.
    Column("day", BigInt, primary_key=True, autoincrement=False),
    Column("host", Text, primary_key=True),
    Column("files", BigInt, nullable=False),
    Column("bytes", BigInt, nullable=False),
)
