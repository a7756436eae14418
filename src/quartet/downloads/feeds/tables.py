from sqlalchemy import Column, ForeignKey, true

from quartet.downloads.metadata import metadata
from quartet.kernel.db import BigInt, Flag, Json, Secret, Text, strict_table

feeds = strict_table(
    "feeds",
    metadata,
    Column("id", BigInt, primary_key=True),
    # Encrypted, because addresses of feeds often contain a key.
    Column("url", Secret, nullable=False),
    Column("name", Text, nullable=False),
    Column("interval_minutes", BigInt, nullable=False),
    Column("only_matching", Flag, nullable=False, server_default=true()),
    Column("enabled", Flag, nullable=False, server_default=true()),
    Column("checked_at", BigInt),
    Column("error", Json),
    Column("taken", BigInt, nullable=False, server_default="0"),
    # Sent back with the next request, so that an unchanged feed is not transferred.
    Column("etag", Text),
    Column("modified", Text),
)
# The entries that need not be looked at again.
feed_entries = strict_table(
    "feed_entries",
    metadata,
    Column("feed_id", BigInt, ForeignKey("feeds.id", ondelete="CASCADE"), primary_key=True),
    # A hash of what identifies the entry.
    Column("key", Text, primary_key=True),
    Column("seen_at", BigInt, nullable=False),
)
