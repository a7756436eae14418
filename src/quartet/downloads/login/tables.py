from sqlalchemy import CheckConstraint, Column

from quartet.downloads.metadata import metadata
from quartet.kernel.audit import audit_table
from quartet.kernel.auth import sessions_table
from quartet.kernel.db import BigInt, Text, strict_table

sessions = sessions_table(metadata)
audit_log = audit_table(metadata)

# There is one user and one API token; the constraints prevent a second row.
user = strict_table(
    "user",
    metadata,
    Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("password_hash", Text, nullable=False),
)
api_token = strict_table(
    "api_token",
    metadata,
    Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
    Column("token_hash", Text, nullable=False),
    Column("created_at", BigInt, nullable=False),
)
