"""Settings people change while it runs, and the archive password list."""

from alembic import op
from sqlalchemy import CheckConstraint, Column

from quartet.kernel.db import BigInt, Json, Text

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "options",
        Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
        Column("value", Json, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "archive_passwords",
        Column("password", Text, primary_key=True),
        Column("position", BigInt, nullable=False),
        sqlite_strict=True,
    )
