from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Text, strict_table
from quartet.wind.metadata import metadata

# The private calendar address of a user.
calendar_feeds = strict_table(
    "calendar_feeds",
    metadata,
    Column("user_id", BigInt, ForeignKey("users.id", ondelete="CASCADE"), primary_key=True),
    Column("token_hash", Text, nullable=False, unique=True),
    Column("created_at", BigInt, nullable=False),
)
