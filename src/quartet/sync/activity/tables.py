from sqlalchemy import Column

from quartet.kernel.db import BigInt, Json, Text, strict_table
from quartet.sync.metadata import metadata

# No foreign keys: what happened stays, also when the device or the folder goes.
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
