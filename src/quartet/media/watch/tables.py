from sqlalchemy import Column

from quartet.kernel.db import BigInt, Json, Text, strict_table
from quartet.media.tables import metadata

watch_folders = strict_table(
    "watch_folders",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column("name", Text, nullable=False),
    Column("value", Json, nullable=False),
    Column("created_at", BigInt, nullable=False),
    Column("last_event_at", BigInt),
)
