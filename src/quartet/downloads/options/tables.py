from sqlalchemy import CheckConstraint, Column

from quartet.downloads.metadata import metadata
from quartet.kernel.db import BigInt, JsonWithSecret, Secret, strict_table

options = strict_table(
    "options",
    metadata,
    Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
    Column("value", JsonWithSecret("proxy"), nullable=False),
)
# Separate from the options, so that saving them cannot undo a password learnt in between.
archive_passwords = strict_table(
    "archive_passwords",
    metadata,
    Column("password", Secret, primary_key=True),
    Column("position", BigInt, nullable=False),
)
