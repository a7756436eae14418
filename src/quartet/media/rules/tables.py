from sqlalchemy import Column

from quartet.kernel.db import BigInt, Json, Text, strict_table
from quartet.media.tables import metadata

rule_sets = strict_table(
    "rule_sets",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("rules", Json, nullable=False),
)
