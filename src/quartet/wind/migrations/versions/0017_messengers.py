"""Addresses at services such as ntfy and Telegram."""

from alembic import op
from sqlalchemy import Column, ForeignKey, Text, false

from quartet.kernel.db import BigInt, Flag

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.create_table(
        "messengers",
        Column("id", BigInt, primary_key=True),
        Column(
            "user_id",
            BigInt,
            ForeignKey("users.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        Column("url", Text, nullable=False),
        Column("created_at", BigInt, nullable=False),
        Column("failed_at", BigInt),
        sqlite_strict=True,
    )
    op.add_column("alarms", Column("messenger", Flag, nullable=False, server_default=false()))
