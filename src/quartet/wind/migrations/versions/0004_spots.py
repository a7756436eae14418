"""Spots and gear."""

from alembic import op
from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Json, Real, Text

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "spots",
        Column("id", BigInt, primary_key=True),
        Column(
            "user_id",
            BigInt,
            ForeignKey("users.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        Column("name", Text, nullable=False),
        Column("lat", Real, nullable=False),
        Column("lon", Real, nullable=False),
        Column("station", Text),
        Column("directions", Json, nullable=False),
        Column("position", BigInt, nullable=False),
        Column("timezone", Text, nullable=False),
        Column("created_at", BigInt, nullable=False),
        sqlite_strict=True,
        sqlite_autoincrement=True,
    )
    op.create_table(
        "gear",
        Column("user_id", BigInt, ForeignKey("users.id", ondelete="CASCADE"), primary_key=True),
        Column("items", Json, nullable=False),
        Column("changed_at", BigInt, nullable=False),
        sqlite_strict=True,
    )
