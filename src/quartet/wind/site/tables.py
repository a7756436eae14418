from sqlalchemy import Column

from quartet.kernel.db import BigInt, Json, Text, strict_table
from quartet.wind.metadata import metadata

# Contains only settings that differ from their default.
site_settings = strict_table(
    "site_settings",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", Json, nullable=False),
    Column("changed_at", BigInt, nullable=False),
    # Not a foreign key: the setting outlives the account that changed it.
    Column("changed_by", BigInt),
)
