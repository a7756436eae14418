from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Text, strict_table
from quartet.sync.config.tables import folders
from quartet.sync.metadata import metadata

# Operations that roll a folder back; one without an end continues after a restart.
restores = strict_table(
    "restores",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column(
        "folder_id",
        BigInt,
        ForeignKey(folders.c.id, ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("before", BigInt, nullable=False),
    Column("below", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("started_at", BigInt, nullable=False),
    Column("ended_at", BigInt),
    Column("total", BigInt, nullable=False),
    Column("done", BigInt, nullable=False),
    Column("failed", BigInt, nullable=False),
    Column("error", Text, nullable=False),
)
