"""Browsers that want messages."""

from alembic import op
from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Text

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "push_subscriptions",
        Column("id", BigInt, primary_key=True),
        Column(
            "user_id",
            BigInt,
            ForeignKey("users.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        Column("endpoint", Text, nullable=False, unique=True),
        Column("p256dh", Text, nullable=False),
        Column("auth", Text, nullable=False),
        Column("created_at", BigInt, nullable=False),
        Column("failed_at", BigInt),
        sqlite_strict=True,
        sqlite_autoincrement=True,
    )
