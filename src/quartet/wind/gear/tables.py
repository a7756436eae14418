from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Json, strict_table
from quartet.wind.metadata import metadata

# The whole list in one row, because it is always read and written as a whole.
gear = strict_table(
    "gear",
    metadata,
    Column("user_id", BigInt, ForeignKey("users.id", ondelete="CASCADE"), primary_key=True),
    Column("items", Json, nullable=False),
    Column("changed_at", BigInt, nullable=False),
)
