from sqlalchemy import CheckConstraint, Column

from quartet.kernel.db import BigInt, Flag, Text, strict_table
from quartet.media.metadata import metadata

folders = strict_table(
    "folders",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column("path", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("default", Flag, nullable=False),
    Column("mounted", Flag, nullable=False),
)
# Holds a row after the first start, also when every folder was removed later.
folders_begun = strict_table(
    "folders_begun",
    metadata,
    Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
)
