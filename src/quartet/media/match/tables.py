from sqlalchemy import Column

from quartet.kernel.db import BigInt, Text, strict_table
from quartet.media.metadata import metadata

overrides = strict_table(
    "overrides",
    metadata,
    Column("kind", Text, primary_key=True),
    # Folded, so that spelling and case do not matter.
    Column("title", Text, primary_key=True),
    # 0 for a name without one: a part of the key cannot be empty.
    Column("year", BigInt, primary_key=True, autoincrement=False),
    Column("provider", Text, nullable=False),
    Column("external_id", Text, nullable=False),
    # Nobody reads it; databases have it since their first version.
    Column("season_offset", BigInt, nullable=False, default=0),
    Column("created_at", BigInt, nullable=False),
)
