from sqlalchemy import Column

from quartet.kernel.db import BigInt, Text, strict_table
from quartet.media.tables import metadata

overrides = strict_table(
    "overrides",
    metadata,
    Column("kind", Text, primary_key=True),
    # Folded, so that spelling and case do not matter.
    Column("title", Text, primary_key=True),
    # 0 if the name has no year, because a key column cannot be null.
    Column("year", BigInt, primary_key=True, autoincrement=False),
    Column("provider", Text, nullable=False),
    Column("external_id", Text, nullable=False),
    # Unused; kept because existing databases have this column.
    Column("season_offset", BigInt, nullable=False, default=0),
    Column("created_at", BigInt, nullable=False),
)
