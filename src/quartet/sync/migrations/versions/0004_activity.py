"""The activity feed."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import BigInt, Json, Text

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "events",
        Column("id", BigInt, primary_key=True),
        Column("at", BigInt, nullable=False),
        Column("device", BigInt),
        Column("folder", BigInt),
        Column("kind", Text, nullable=False),
        Column("text", Json, nullable=False),
        sqlite_strict=True,
    )
