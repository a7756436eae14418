"""Watch folders, and who is told when a job is done."""

from alembic import op
from sqlalchemy import CheckConstraint, Column

from quartet.kernel.db import BigInt, Json, Text

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.create_table(
        "watch_folders",
        Column("id", BigInt, primary_key=True),
        Column("name", Text, nullable=False),
        Column("value", Json, nullable=False),
        Column("created_at", BigInt, nullable=False),
        Column("last_event_at", BigInt),
        sqlite_strict=True,
        sqlite_autoincrement=True,
    )
    op.create_table(
        "notifications",
        Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
        Column("value", Json, nullable=False),
        sqlite_strict=True,
    )
