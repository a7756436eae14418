from sqlalchemy import CheckConstraint, Column, ForeignKey, Index

from quartet.downloads.metadata import metadata
from quartet.kernel.db import BigInt, Json, strict_table

# The latest failed attempts of each download.
attempts = strict_table(
    "attempts",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column("download_id", BigInt, ForeignKey("downloads.id", ondelete="CASCADE"), nullable=False),
    Column("ended_at", BigInt, nullable=False),
    Column("bytes_done", BigInt, nullable=False),
    Column("error", Json, nullable=False),
    Index("attempts_of_download", "download_id", "id"),
)
# Has a row while the queue starts nothing new, because it stops after the running downloads.
queue_stop = strict_table(
    "queue_stop",
    metadata,
    Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
    Column("asked_at", BigInt, nullable=False),
)
