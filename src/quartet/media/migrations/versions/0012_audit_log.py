"""The newest events of the audit log."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import BigInt, Text

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_table(
        "audit_log",
        Column("id", BigInt, primary_key=True),
        Column("at", BigInt, nullable=False),
        Column("event", Text, nullable=False, index=True),
        Column("client", Text, nullable=False),
        Column("user", Text, nullable=False),
        Column("code", Text, nullable=False),
        Column("path", Text, nullable=False),
        sqlite_strict=True,
        sqlite_autoincrement=True,
    )
