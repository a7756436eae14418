"""Browsers that receive notifications."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import BigInt, Text

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.create_table(
        "push_subscriptions",
        Column("id", BigInt, primary_key=True),
        Column("user_id", BigInt, nullable=False, index=True),
        Column("endpoint", Text, nullable=False, unique=True),
        Column("p256dh", Text, nullable=False),
        Column("auth", Text, nullable=False),
        Column("created_at", BigInt, nullable=False),
        Column("failed_at", BigInt),
        Column("session", Text, index=True),
        sqlite_strict=True,
        sqlite_autoincrement=True,
    )
