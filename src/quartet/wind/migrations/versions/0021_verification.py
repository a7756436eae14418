"""Forecasts as they were issued, and how they came true."""

from alembic import op
from sqlalchemy import Column, Index, PrimaryKeyConstraint

from quartet.kernel.db import BigInt, Bytes, Text

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.create_table(
        "issued_forecasts",
        Column("station", BigInt, nullable=False),
        Column("issued", BigInt, nullable=False),
        Column("models", Text, nullable=False),
        Column("hours", Bytes, nullable=False),
        PrimaryKeyConstraint("station", "issued"),
        Index("issued_forecasts_by_time", "issued"),
        sqlite_strict=True,
    )
    op.create_table(
        "verified_days",
        Column("station", BigInt, nullable=False),
        Column("day", BigInt, nullable=False),
        Column("models", Text, nullable=False),
        Column("sums", Bytes, nullable=False),
        PrimaryKeyConstraint("station", "day"),
        Index("verified_days_by_day", "day"),
        sqlite_strict=True,
    )
