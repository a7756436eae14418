from sqlalchemy import Column

from quartet.kernel.db import BigInt, Json, Text, strict_table
from quartet.sync.metadata import metadata

# No foreign keys: events outlive their device or folder.
events = strict_table(
    "events",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column("at", BigInt, nullable=False),
    Column("device", BigInt),
    Column("folder", BigInt),
    Column("kind", Text, nullable=False),
    # A code with its inputs.
    Column("text", Json, nullable=False),
)
