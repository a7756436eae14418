from sqlalchemy import Column

from quartet.kernel.db import BigInt, Json, Text, strict_table
from quartet.wind.metadata import metadata

# Only what differs from the defaults.
site_settings = strict_table(
    "site_settings",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", Json, nullable=False),
    Column("changed_at", BigInt, nullable=False),
    # Not a foreign key: who changed it may be gone, the setting stays.
    Column("changed_by", BigInt),
)
