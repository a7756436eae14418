from sqlalchemy import Column

from quartet.kernel.db import BigInt, Text, strict_table
from quartet.media.tables import metadata

catalog_answers = strict_table(
    "catalog_answers",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
    Column("expires_at", BigInt, nullable=False, index=True),
)
