from sqlalchemy import Column

from quartet.downloads.metadata import metadata
from quartet.kernel.db import BigInt, Bytes, Flag, Json, Text, strict_table

accounts = strict_table(
    "accounts",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column("plugin_id", Text, nullable=False),
    Column("user", Text, nullable=False),
    # Encrypted with the key file.
    Column("secret", Bytes, nullable=False),
    Column("enabled", Flag, nullable=False),
    Column("status", Text, nullable=False),
    Column("premium", Flag),
    Column("traffic_left", BigInt),
    Column("valid_until", BigInt),
    Column("error", Json),
    Column("checked_at", BigInt),
)
