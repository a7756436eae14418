"""Stations."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import BigInt, Real, Text

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "stations",
        Column("id", BigInt, primary_key=True),
        Column("slug", Text, nullable=False, unique=True),
        Column("name", Text, nullable=False),
        Column("lat", Real, nullable=False),
        Column("lon", Real, nullable=False),
        sqlite_strict=True,
    )
