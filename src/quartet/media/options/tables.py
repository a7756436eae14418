from sqlalchemy import CheckConstraint, Column

from quartet.kernel.db import BigInt, Json, strict_table
from quartet.media.tables import metadata

options = strict_table(
    "options",
    metadata,
    Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
    Column("value", Json, nullable=False),
)
