from sqlalchemy import CheckConstraint, Column

from quartet.kernel.audit import audit_table
from quartet.kernel.auth import sessions_table
from quartet.kernel.db import BigInt, Text, strict_table
from quartet.kernel.db.shared_keys import keys_table
from quartet.sync.metadata import metadata

sessions = sessions_table(metadata)
audit_log = audit_table(metadata)
keys = keys_table(metadata)

# There is exactly one admin.
admin = strict_table(
    "admin",
    metadata,
    Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
    Column("password_hash", Text, nullable=False),
)
