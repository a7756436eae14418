from sqlalchemy import Column

from quartet.downloads.metadata import metadata
from quartet.kernel.db import BigInt, SecretJson, strict_table

# Encrypted, because rules can contain passwords.
rules = strict_table(
    "rules",
    metadata,
    Column("position", BigInt, primary_key=True, autoincrement=False),
    Column("value", SecretJson, nullable=False),
)
