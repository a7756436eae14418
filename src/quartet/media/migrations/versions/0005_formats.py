"""Saved formats and sets of rules."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import BigInt, Json, Text

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "formats",
        Column("id", Text, primary_key=True),
        Column("name", Text, nullable=False),
        Column("kind", Text, nullable=False),
        Column("template", Text, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "rule_sets",
        Column("id", BigInt, primary_key=True),
        Column("name", Text, nullable=False, unique=True),
        Column("rules", Json, nullable=False),
        sqlite_strict=True,
    )
