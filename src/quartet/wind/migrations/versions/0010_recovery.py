"""Recent checks of sessions, and recovery codes."""

from alembic import op
from sqlalchemy import Column, ForeignKey, Index

from quartet.kernel.db import BigInt, Text

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_table(
        "session_checks",
        Column("session", Text, primary_key=True),
        Column("at", BigInt, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "recovery_codes",
        Column("code_hash", Text, primary_key=True),
        Column("user_id", BigInt, ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
        Column("created_at", BigInt, nullable=False),
        Column("used_at", BigInt),
        Index("recovery_codes_of_user", "user_id"),
        sqlite_strict=True,
    )
