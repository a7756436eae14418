from sqlalchemy import CheckConstraint, Column

from quartet.downloads.metadata import metadata
from quartet.kernel.db import BigInt, Json, Text, strict_table

options = strict_table(
    "options",
    metadata,
    Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
    Column("value", Json, nullable=False),
)
# Separate from the options, so that saving them cannot undo a password learnt in between.
archive_passwords = strict_table(
    "archive_passwords",
    metadata,
    Column("password", Text, primary_key=True),
    Column("position", BigInt, nullable=False),
)
