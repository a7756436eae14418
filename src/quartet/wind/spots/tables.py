from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Json, Real, Text, strict_table
from quartet.wind.metadata import metadata

spots = strict_table(
    "spots",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column(
        "user_id", BigInt, ForeignKey("users.id", ondelete="CASCADE"), nullable=False, index=True
    ),
    Column("name", Text, nullable=False),
    Column("lat", Real, nullable=False),
    Column("lon", Real, nullable=False),
    Column("station", Text),
    Column("directions", Json, nullable=False),
    Column("position", BigInt, nullable=False),
    Column("timezone", Text, nullable=False),
    Column("created_at", BigInt, nullable=False),
)
